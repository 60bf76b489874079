<#
.SYNOPSIS
Prepares a Windows that Setup has just installed: drivers, guest agent, power plan, OpenSSH, an update. The first logon
starts this script.

.DESCRIPTION
This script is on the CD that answered Setup's questions, beside the files that it installs. It reports its progress on
the serial port, because nobody can log in before its end. The last line is `initialized`, or `updated, rebooting` if
the CD has an update, or it begins with `failed`. Safe to run again.

.OUTPUTS
Facts of the result (lib/Step.ps1): build, openSsh (archive or windows).

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 34 ServiceNotRunning.
#>
[CmdletBinding()]
param()

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\NativeCommand.ps1')
. (Join-Path $PSScriptRoot 'lib\ProtectedFile.ps1')
. (Join-Path $PSScriptRoot 'lib\Services.ps1')
. (Join-Path $PSScriptRoot 'lib\AutomaticUpdate.ps1')
. (Join-Path $PSScriptRoot 'lib\SerialLog.ps1')
. (Join-Path $PSScriptRoot 'lib\Virtio.ps1')
. (Join-Path $PSScriptRoot 'lib\SshServer.ps1')
. (Join-Path $PSScriptRoot 'lib\ImageSettings.ps1')
. (Join-Path $PSScriptRoot 'lib\SwitchOverride.ps1')
. (Join-Path $PSScriptRoot 'lib\ImageUpdate.ps1')
. (Join-Path $PSScriptRoot 'lib\PendingReboot.ps1')

Invoke-Step -Name 'Initialize-Image' -Body {
    try {
        Write-SerialLine -Message 'installed, preparing the image'
        Protect-Folder -Path 'C:\kindows\state' -UsersRead $true
        $null = Disable-AutomaticUpdate
        Set-PowerPlan
        Stop-ConsoleMenu
        Stop-AutomaticLogon
        Stop-AutomaticRepair
        Set-UtcClock
        Set-ServiceStartLimit
        Set-SwitchOverride -Build ([Environment]::OSVersion.Version.Build)

        Write-SerialLine -Message 'installing the drivers and the guest agent'
        Install-VirtioDriver -Folder (Join-Path (Split-Path -Path $PSScriptRoot) 'drivers')
        Install-GuestAgent -Package (Join-Path $PSScriptRoot 'media\qemu-ga-x86_64.msi')

        Write-SerialLine -Message 'installing OpenSSH'
        $archive = Join-Path $PSScriptRoot 'media\OpenSSH-Win64.zip'
        $openSsh = 'windows'
        # Windows Server 2025 has its own, but that is not documented for each edition, so the archive is always there.
        if (-not (Test-Service -Name 'sshd') -and (Test-Path -LiteralPath $archive)) {
            $openSsh = 'archive'
            Install-SshServer -Archive $archive
        }
        Set-SshServer -Folder (Join-Path $PSScriptRoot 'ssh')
        Add-SshFirewallRule
        Enable-SshServer

        $update = Join-Path $PSScriptRoot 'media\update.msu'
        $updated = Test-Path -LiteralPath $update
        if ($updated) {
            Write-SerialLine -Message 'installing the update'
            Install-ImageUpdate -Package $update
            # The SSH server starts with the next boot, so nobody can log in before the update is done.
            Write-SerialLine -Message 'updated, rebooting'
            Start-Reboot -DelaySeconds 5 -Comment 'kindows: update'
        }
        else {
            Start-SshServer
            Write-SerialLine -Message 'initialized'
        }
    }
    catch {
        Write-SerialFailure -Exception $_.Exception
        throw
    }
    New-StepResult -Changed $true -RebootRequired $updated -Facts ([ordered]@{
            build   = [Environment]::OSVersion.Version.Build
            openSsh = $openSsh
        })
}
