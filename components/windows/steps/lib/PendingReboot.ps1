# Reboots that Windows waits for, and the record of an ordered reboot, which survives it.

. (Join-Path $PSScriptRoot 'NativeCommand.ps1')
. (Join-Path $PSScriptRoot 'WholeFile.ps1')

$RebootRecordPath = 'C:\kindows\state\reboot.json'

function Get-LastBootUpTime {
    (Get-CimInstance -ClassName Win32_OperatingSystem).LastBootUpTime.ToUniversalTime().ToString('yyyy-MM-ddTHH:mm:ssZ')
}

# Compared exactly with the time of the running system: a tolerance would take a quick reboot for none. If a time server
# steps the clock before the reboot, the feature's state still shows that it has not happened (Confirm-Reboot).
function Save-RebootRecord {
    Save-Record -Path $RebootRecordPath -Record @{ lastBootUpTime = Get-LastBootUpTime }
}

function Get-RebootRecord {
    $record = Read-Record -Path $RebootRecordPath
    # A record that a power cut has damaged is ignored, because a boot has followed anyway.
    if ($null -ne $record -and $null -ne $record.PSObject.Properties['lastBootUpTime']) {
        $record.lastBootUpTime
    }
}

function Remove-RebootRecord {
    Remove-Record -Path $RebootRecordPath
}

function Get-PendingRebootReason {
    $versions = 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion'
    if (Test-Path -LiteralPath "$versions\Component Based Servicing\RebootPending") {
        'Component Based Servicing'
    }
    if (Test-Path -LiteralPath "$versions\WindowsUpdate\Auto Update\RebootRequired") { 'Windows Update' }
}

# Returns the name after the next reboot; empty if it does not change.
function Get-PendingComputerName {
    $names = 'HKLM:\SYSTEM\CurrentControlSet\Control\ComputerName'
    $next = (Get-ItemProperty -LiteralPath "$names\ComputerName").ComputerName
    $active = (Get-ItemProperty -LiteralPath "$names\ActiveComputerName").ComputerName
    if ($next -ne $active) { $next } else { '' }
}

# Running sessions continue, but nobody can connect and mistake the machine for one that is done already.
function Close-SshPort {
    $sshd = Get-Service -Name 'sshd' -ErrorAction SilentlyContinue
    if ($null -ne $sshd -and $sshd.Status -eq 'Running') { $sshd.Stop() }
}

function Start-Reboot {
    param([int] $DelaySeconds, [string] $Comment)
    # Flushed first, so that the session has little left to do until it is cut.
    Write-DriveCache
    # 1115 and 1190: a shutdown is in progress or scheduled already.
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\shutdown.exe" `
        -ArgumentList '/r', '/f', '/t', $DelaySeconds, '/d', 'p:2:4', '/c', $Comment `
        -TimeoutSeconds 30 -SuccessExitCodes 0, 1115, 1190 -Remedy 'Reboot the machine by hand, then run again.'
    Close-SshPort
}
