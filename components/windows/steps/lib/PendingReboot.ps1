# Reboots that Windows waits for, and what is known of one that was ordered: a small file that outlives it.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'NativeCommand.ps1')
. (Join-Path $PSScriptRoot 'WholeFile.ps1')

$RebootRecordPath = 'C:\kindows\state\reboot.json'

<#
.SYNOPSIS
Returns when Windows was started, as UTC text to the second.
#>
function Get-LastBootUpTime {
    [CmdletBinding()]
    [OutputType([string])]
    param()

    (Get-CimInstance -ClassName Win32_OperatingSystem).LastBootUpTime.ToUniversalTime().ToString('yyyy-MM-ddTHH:mm:ssZ')
}

<#
.SYNOPSIS
Records that a reboot is needed, and since which boot.
#>
function Save-RebootRecord {
    [CmdletBinding()]
    param()

    $record = ConvertTo-Json -InputObject @{ lastBootUpTime = Get-LastBootUpTime } -Compress
    Write-WholeText -Path $RebootRecordPath -Text $record
}

<#
.SYNOPSIS
Returns the time of the boot that a needed reboot has to follow, or nothing where no reboot was needed.
#>
function Get-RebootRecord {
    [CmdletBinding()]
    [OutputType([string])]
    param()

    if (Test-Path -LiteralPath $RebootRecordPath) {
        # A record without a boot, whoever left it, says of none: what a power cut has left was followed by one anyhow.
        $text = [IO.File]::ReadAllText($RebootRecordPath)
        if ($text -match '^\{.*"lastBootUpTime":.*\}$') {
            (ConvertFrom-Json -InputObject $text).lastBootUpTime
        }
    }
}

<#
.SYNOPSIS
Forgets a reboot that has happened, or that turned out not to be needed.
#>
function Remove-RebootRecord {
    [CmdletBinding()]
    param()

    if (Test-Path -LiteralPath $RebootRecordPath) {
        Remove-Item -LiteralPath $RebootRecordPath -Force
    }
}

<#
.SYNOPSIS
Returns why Windows waits for a reboot, as names of its own parts; nothing where it does not.
#>
function Get-PendingRebootReason {
    [CmdletBinding()]
    [OutputType([string[]])]
    param()

    $versions = 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion'
    if (Test-Path -LiteralPath "$versions\Component Based Servicing\RebootPending") {
        'Component Based Servicing'
    }
    if (Test-Path -LiteralPath "$versions\WindowsUpdate\Auto Update\RebootRequired") {
        'Windows Update'
    }
}

<#
.SYNOPSIS
Returns the name the computer will have after its next reboot, where that is another than now; else an empty text.
#>
function Get-PendingComputerName {
    [CmdletBinding()]
    [OutputType([string])]
    param()

    $names = 'HKLM:\SYSTEM\CurrentControlSet\Control\ComputerName'
    $next = (Get-ItemProperty -LiteralPath "$names\ComputerName").ComputerName
    $active = (Get-ItemProperty -LiteralPath "$names\ActiveComputerName").ComputerName
    if ($next -ne $active) { $next } else { '' }
}

<#
.SYNOPSIS
Orders a reboot and closes the SSH port: running sessions go on, but nobody can connect to the system that goes down and
take it for the one that comes up.

.PARAMETER DelaySeconds
Seconds until Windows begins it.

.PARAMETER Comment
What it is for, for the System event log.
#>
function Start-Reboot {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [int] $DelaySeconds,

        [Parameter(Mandatory = $true)]
        [string] $Comment
    )

    # 1115 and 1190: a shutdown is under way or scheduled already, which is what is wanted.
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\shutdown.exe" `
        -ArgumentList '/r', '/f', '/t', $DelaySeconds, '/d', 'p:2:4', '/c', $Comment `
        -TimeoutSeconds 30 -SuccessExitCodes 0, 1115, 1190 `
        -Remedy 'Reboot the machine by hand, then run again.'
    $sshd = Get-Service -Name 'sshd' -ErrorAction SilentlyContinue
    if ($null -ne $sshd -and $sshd.Status -eq 'Running') {
        $sshd.Stop()
    }
}
