<#
.SYNOPSIS
Makes a machine that was started from the image the one it shall be, and opens its SSH server. Windows starts it at the
end of its setup.

.DESCRIPTION
Gives the computer the name that the identity disc says, has Windows reboot to be called so, and is started once more
by that boot. Then it takes the SSH server's keys and the key that may log in from the disc, gives Administrator a
password nobody knows, and removes what the first boot needed: answer files, the disc's drive, this script. The SSH
server starts last, and not at all where something failed: who can log in finds the machine finished. Says on the serial
port what it does; `ready` is the last line, or `renamed, rebooting`, or `failed`.

.PARAMETER AfterSetup
1: a task has started it, not Windows' setup; it looks first whether it is its turn, and ends with 0 and without a
result where it is not. Default: 0.

.OUTPUTS
Facts of the result (lib/Step.ps1): computerName.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 30 MediumMissing; 33 ConfigurationUnknown; 34 ServiceNotRunning.
#>
[CmdletBinding()]
param(
    [ValidateRange(0, 1)]
    [int] $AfterSetup = 0
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\NativeCommand.ps1')
. (Join-Path $PSScriptRoot 'lib\ProtectedFile.ps1')
. (Join-Path $PSScriptRoot 'lib\PendingReboot.ps1')
. (Join-Path $PSScriptRoot 'lib\Services.ps1')
. (Join-Path $PSScriptRoot 'lib\SerialLog.ps1')
. (Join-Path $PSScriptRoot 'lib\IdentityDisc.ps1')
. (Join-Path $PSScriptRoot 'lib\SshServer.ps1')
. (Join-Path $PSScriptRoot 'lib\Sealing.ps1')
. (Join-Path $PSScriptRoot 'lib\FirstBoot.ps1')

# Not within the step, which would keep the one that Windows' setup starts waiting.
if ($AfterSetup -eq 1 -and -not (Test-FirstBootDue -TimeoutSeconds 3600)) {
    exit 0
}

Invoke-Step -Name 'Set-MachineIdentity' -Body {
    try {
        Write-SerialLine -Message 'set up, taking its identity'
        $disc = Get-IdentityDisc -TimeoutSeconds 120
        $identity = Read-Identity -Path "$($disc.Drive)\user-data"
        $rebootRequired = Set-MachineName -Name $identity.ComputerName
        if ($rebootRequired) {
            Suspend-FirstBoot
            Write-SerialLine -Message 'renamed, rebooting'
            # Not at once: Windows' setup, which runs this, must have ended, or the system is in a bad state
            # (https://learn.microsoft.com/windows-hardware/manufacture/desktop/add-a-custom-script-to-windows-setup).
            Start-Reboot -DelaySeconds 30 -Comment 'kindows: computer name'
        }
        else {
            Set-SshIdentity -HostKey $identity.HostKey -HostPublicKey $identity.HostPublicKey `
                -AuthorizedKeys $identity.AuthorizedKeys
            Reset-AdministratorPassword
            Remove-AnswerFile
            Disable-IdentityDisc -Disc $disc
            Remove-FirstBoot
            Enable-SshServer
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
