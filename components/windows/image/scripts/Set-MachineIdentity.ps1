<#
.SYNOPSIS
Makes a machine that was started from the image the one it shall be, and opens its SSH server. Windows starts it at the
end of its setup.

.DESCRIPTION
Takes the SSH server's keys and the key that may log in from the identity disc, sees to the computer's name, gives
Administrator a password nobody knows, and removes what the first boot needed: answer files, the disc's drive, these
scripts. The SSH server starts last, and not at all where something failed: who can log in finds the machine finished.
Says on the serial port what it does; `ready` is the last line, or `renamed, rebooting`, or `failed`.

.OUTPUTS
Last line of standard output: one JSON object {"step", "changed", "rebootRequired", "seconds", "facts"}, or {"step",
"error": {"code", "message", "remedy"}}. Facts: computerName.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 30 MediumMissing; 33 ConfigurationUnknown; 34 ServiceNotRunning.
#>
[CmdletBinding()]
param()

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\NativeCommand.ps1')
. (Join-Path $PSScriptRoot 'lib\ProtectedFile.ps1')
. (Join-Path $PSScriptRoot 'lib\PendingReboot.ps1')
. (Join-Path $PSScriptRoot 'lib\ServiceState.ps1')
. (Join-Path $PSScriptRoot 'lib\ServiceSettings.ps1')
. (Join-Path $PSScriptRoot 'lib\SerialLog.ps1')
. (Join-Path $PSScriptRoot 'lib\IdentityDisc.ps1')
. (Join-Path $PSScriptRoot 'lib\MachineName.ps1')
. (Join-Path $PSScriptRoot 'lib\SshServer.ps1')
. (Join-Path $PSScriptRoot 'lib\Sealing.ps1')
. (Join-Path $PSScriptRoot 'lib\FirstBoot.ps1')

Invoke-Step -Name 'Set-MachineIdentity' -Body {
    try {
        Write-SerialLine -Message 'set up, taking its identity'
        $disc = Get-IdentityDisc -TimeoutSeconds 120
        $identity = Read-Identity -Path "$($disc.Drive)\user-data"
        Set-SshIdentity -HostKey $identity.HostKey -HostPublicKey $identity.HostPublicKey `
            -AuthorizedKeys $identity.AuthorizedKeys
        $rebootRequired = Set-MachineName -Name $identity.ComputerName
        Reset-AdministratorPassword
        Remove-AnswerFile
        Disable-IdentityDisc -Disc $disc
        Remove-FirstBoot
        Enable-SshServer
        if ($rebootRequired) {
            # The server starts with the next boot.
            Write-SerialLine -Message 'renamed, rebooting'
            Start-Reboot -DelaySeconds 2 -Comment 'kindows: computer name'
        }
        else {
            Start-SshServer
            Write-SerialLine -Message 'ready'
        }
    }
    catch {
        Write-SerialFailure -Exception $_.Exception
        throw
    }
    New-StepResult -Changed $true -RebootRequired $rebootRequired -Facts ([ordered]@{
            computerName = $identity.ComputerName
        })
}
