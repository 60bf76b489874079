# The machine's PATH, and this process's copy of it: sshd gives its sessions the PATH it was started with.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

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

    $current = [Environment]::GetEnvironmentVariable('Path', 'Machine')
    $missing = ($current -split ';' | ForEach-Object { $_.TrimEnd('\') }) -notcontains $Folder.TrimEnd('\')
    if ($missing) {
        [Environment]::SetEnvironmentVariable('Path', $current.TrimEnd(';') + ';' + $Folder, 'Machine')
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

    $current = @([Environment]::GetEnvironmentVariable('Path', 'Machine') -split ';')
    $others = @($current | Where-Object { $_.TrimEnd('\') -ne $Folder.TrimEnd('\') })
    if ($others.Count -lt $current.Count) {
        [Environment]::SetEnvironmentVariable('Path', ($others -join ';'), 'Machine')
        "$Folder on the PATH"
    }
}
