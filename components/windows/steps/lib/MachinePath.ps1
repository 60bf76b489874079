# The machine's PATH, and this process's copy of it: sshd gives its sessions the PATH it was started with.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$MachineVariablesKey = 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\Environment'

<#
.SYNOPSIS
Returns the machine's PATH as Windows keeps it: with variables such as %SystemRoot%, which [Environment] would replace.
#>
function Get-MachinePath {
    [CmdletBinding()]
    [OutputType([string])]
    param()

    (Get-Item -LiteralPath $MachineVariablesKey).GetValue('Path', '', 'DoNotExpandEnvironmentNames')
}

<#
.SYNOPSIS
Sets the machine's PATH, and lets it stay a text with variables where it is one.

.PARAMETER Path
Its folders, separated by semicolons.
#>
function Set-MachinePath {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Path
    )

    $kind = (Get-Item -LiteralPath $MachineVariablesKey).GetValueKind('Path')
    Set-ItemProperty -LiteralPath $MachineVariablesKey -Name 'Path' -Value $Path -Type $kind
    # Removing a variable that is not there tells all windows that the machine's variables are others now.
    [Environment]::SetEnvironmentVariable('KINDOWS_PATH', $null, 'Machine')
}

<#
.SYNOPSIS
Gives this process the machine's PATH of now.
#>
function Update-ProcessPath {
    [CmdletBinding()]
    param()

    $env:Path = [Environment]::GetEnvironmentVariable('Path', 'Machine')
}

<#
.SYNOPSIS
Adds a folder to the machine's PATH, once, and returns whether it was missing.

.PARAMETER Folder
Full path of the folder.
#>
function Add-MachinePath {
    [CmdletBinding()]
    [OutputType([bool])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Folder
    )

    $current = Get-MachinePath
    $missing = ($current -split ';' | ForEach-Object { $_.TrimEnd('\') }) -notcontains $Folder.TrimEnd('\')
    if ($missing) {
        Set-MachinePath -Path ($current.TrimEnd(';') + ';' + $Folder)
    }
    Update-ProcessPath
    $missing
}

<#
.SYNOPSIS
Takes a folder off the machine's PATH; returns it where it was there.

.PARAMETER Folder
Full path of the folder.
#>
function Remove-MachinePath {
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Folder
    )

    $current = @((Get-MachinePath) -split ';')
    $others = @($current | Where-Object { $_.TrimEnd('\') -ne $Folder.TrimEnd('\') })
    if ($others.Count -lt $current.Count) {
        Set-MachinePath -Path ($others -join ';')
        "$Folder on the PATH"
    }
}
