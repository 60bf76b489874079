# What the tests share. Dot-sourced in BeforeAll of each file, after Pester has found the tests.

$LibFolder = [IO.Path]::GetFullPath("$PSScriptRoot/../../../components/windows/steps/lib")
$StepsFolder = Split-Path -Path $LibFolder

<#
.SYNOPSIS
Runs a block that must fail as a step fails; returns code, message and remedy.

.PARAMETER Body
The block.
#>
function Get-StepFailure {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [scriptblock] $Body
    )

    $failure = $null
    try {
        $null = & $Body
    }
    catch {
        $failure = $_.Exception
    }
    if ($null -eq $failure) {
        throw 'It was expected to fail, and did not.'
    }
    [pscustomobject]@{
        Code    = [string]$failure.Data['StepCode']
        Message = $failure.Message
        Remedy  = [string]$failure.Data['StepRemedy']
    }
}

<#
.SYNOPSIS
Lays the scripts that make an image out as they are on the CD, with the steps' library in theirs; returns the folder.

.PARAMETER Path
The folder, which is made.
#>
function New-ImageFolder {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Path
    )

    $source = Join-Path (Split-Path -Path $StepsFolder) 'image/scripts'
    Copy-Item -LiteralPath $source -Destination $Path -Recurse
    foreach ($lib in Get-ChildItem -LiteralPath $LibFolder -Filter '*.ps1' -File) {
        Copy-Item -LiteralPath $lib.FullName -Destination (Join-Path $Path 'lib')
    }
    $Path
}

# Cmdlets of Windows that PowerShell on Linux lacks. Pester can mock what exists only, so each gets a stand-in with the
# parameters the scripts use, which fails when it is called unmocked.
$WindowsCmdlets = @{
    'Get-LocalUser'              = @()
    'Get-Service'                = @('Name')
    'New-ScheduledTaskAction'    = 'Execute', 'Argument'
    'New-ScheduledTaskPrincipal' = 'UserId', 'LogonType', 'RunLevel'
    'New-ScheduledTaskTrigger'   = @('[switch] AtStartup')
    'Register-ScheduledTask'     = 'TaskName', 'Action', 'Principal', 'Trigger', '[switch] Force'
    'Set-LocalUser'              = 'InputObject', 'Password', 'PasswordNeverExpires'
}
foreach ($cmdlet in $WindowsCmdlets.Keys) {
    if ($null -eq (Get-Command -Name $cmdlet -ErrorAction SilentlyContinue)) {
        $parameters = @($WindowsCmdlets[$cmdlet] | ForEach-Object { $_ -replace '(\w+)$', '$$$1' })
        $body = "[CmdletBinding()] param($($parameters -join ', ')) throw '$cmdlet is not mocked'"
        Set-Item -Path "function:$cmdlet" -Value ([scriptblock]::Create($body))
    }
}
