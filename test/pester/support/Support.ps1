# Helpers of the tests. Each file dot-sources them in BeforeAll, after Pester has discovered the tests.

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

# Windows cmdlets that PowerShell on Linux lacks. Pester can only mock existing commands, so each gets a stand-in with
# the parameters that the scripts use, which fails if it is called without a mock.
$WindowsCmdlets = @{
    'Get-LocalUser'                = @()
    'Get-Service'                  = @('Name')
    'New-ScheduledTaskAction'      = 'Execute', 'Argument'
    'New-ScheduledTaskSettingsSet' = @(
        'Priority', 'ExecutionTimeLimit', '[switch] AllowStartIfOnBatteries', '[switch] DontStopIfGoingOnBatteries'
    )
    'New-ScheduledTaskTrigger'     = @('[switch] AtStartup')
    'Register-ScheduledTask'       = 'TaskName', 'Action', 'Settings', 'User', 'RunLevel', 'Trigger', '[switch] Force'
    'Set-LocalUser'                = 'InputObject', 'Password', 'PasswordNeverExpires'
}
foreach ($cmdlet in $WindowsCmdlets.Keys) {
    if ($null -eq (Get-Command -Name $cmdlet -ErrorAction SilentlyContinue)) {
        $parameters = @($WindowsCmdlets[$cmdlet] | ForEach-Object { $_ -replace '(\w+)$', '$$$1' })
        $body = "[CmdletBinding()] param($($parameters -join ', ')) throw '$cmdlet is not mocked'"
        Set-Item -Path "function:$cmdlet" -Value ([scriptblock]::Create($body))
    }
}
