# What the tests share. Dot-sourced in BeforeAll of each file, after Pester has found the tests.

$LibFolder = [IO.Path]::GetFullPath("$PSScriptRoot/../../../components/windows/steps/lib")

# Runs a block that must fail as a step fails; returns code, message and remedy.
function Get-StepFailure {
    param([scriptblock] $Body)
    try {
        $null = & $Body
    }
    catch {
        return [pscustomobject]@{
            Code    = [string]$_.Exception.Data['StepCode']
            Message = $_.Exception.Message
            Remedy  = [string]$_.Exception.Data['StepRemedy']
        }
    }
    throw 'It was expected to fail, and did not.'
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
