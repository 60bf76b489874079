<#
.SYNOPSIS
Seals the image: removes passwords and keys from it, generalizes it and shuts the machine down. This is the last step.

.DESCRIPTION
Run over SSH once everything that all machines share is in the image. Removes a recovery partition, packages that would
make sysprep fail, the answer files of Windows' installation, the SSH server's host keys and the authorized key, and
sets a random password for Administrator. Installs the script that gives each machine its identity at its first boot;
until then the SSH server does not start. In the end sysprep shuts the machine down. Wait for that, not for the end of
the SSH session, which breaks earlier. Cannot be run again.

.PARAMETER SealedAnswerFile
Full path of the answer file for the first boot of machines made from the image. Default: none, mandatory. Source:
images/windows/answer-file.ts, on the CD.

.PARAMETER DelaySeconds
Seconds until sysprep begins. This session must end in that time. Default: 15.

.OUTPUTS
A result (lib/Step.ps1) without facts.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 33 ConfigurationUnknown.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[A-Za-z]:\\[^"*?<>|/]+\.xml$')]
    [string] $SealedAnswerFile,

    [ValidateRange(1, 60)]
    [int] $DelaySeconds = 15
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\NativeCommand.ps1')
. (Join-Path $PSScriptRoot 'lib\ProtectedFile.ps1')
. (Join-Path $PSScriptRoot 'lib\Services.ps1')
. (Join-Path $PSScriptRoot 'lib\SerialLog.ps1')
. (Join-Path $PSScriptRoot 'lib\ImageSettings.ps1')
. (Join-Path $PSScriptRoot 'lib\SshServer.ps1')
. (Join-Path $PSScriptRoot 'lib\RecoveryPartition.ps1')
. (Join-Path $PSScriptRoot 'lib\UserPackage.ps1')
. (Join-Path $PSScriptRoot 'lib\Sealing.ps1')
. (Join-Path $PSScriptRoot 'lib\FirstBoot.ps1')

Invoke-Step -Name 'Complete-Image' -Body {
    Write-SerialLine -Message 'sealing'
    # Not earlier, because adding features needs WinRM.
    Stop-RemoteManagement
    Remove-RecoveryPartition
    Remove-UserPackage
    Remove-AnswerFile
    $administrator = Reset-AdministratorPassword
    Write-SealedAnswerFile -Template $SealedAnswerFile
    Install-FirstBoot -Source $PSScriptRoot
    Disable-SshServer
    Remove-SshKey
    Reset-SshShell
    Start-Sealing -DelaySeconds $DelaySeconds -Administrator $administrator
    New-StepResult -Changed $true -Facts ([ordered]@{})
}
