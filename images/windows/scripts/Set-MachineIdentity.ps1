<#
.SYNOPSIS
Gives a machine that was started from the image its name and keys, and starts its SSH server. Windows starts this script
at the end of its setup.

.DESCRIPTION
Sets the computer's name from the identity disc and reboots Windows, which applies it. After that boot a task starts
this script again. It then takes the SSH server's host key and the authorized keys from the disc, sets a random password
for Administrator, and removes what only the first boot needed: answer files, the disc's drive, this script. The SSH
server starts last, and only if everything succeeded, so a machine that accepts a login is ready. Reports its progress
on the serial port. The last line is `ready` or `renamed, rebooting`, or it begins with `failed`.

.PARAMETER AfterSetup
1: started by the task, not by Windows' setup. If the machine does not need it, the script ends with 0 and without a
result. Default: 0.

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

# Outside the step, because waiting inside would block the run that Windows' setup starts.
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
            # Delayed, because Windows' setup, which runs this script, must end first, or the system is in a bad state
            # (https://learn.microsoft.com/windows-hardware/manufacture/desktop/add-a-custom-script-to-windows-setup).
            Start-Reboot -DelaySeconds 30 -Comment 'kindows: computer name'
        }
        else {
            Set-SshIdentity -HostKey $identity.HostKey -HostPublicKey $identity.HostPublicKey `
                -AuthorizedKeys $identity.AuthorizedKeys
            $null = Reset-AdministratorPassword
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
