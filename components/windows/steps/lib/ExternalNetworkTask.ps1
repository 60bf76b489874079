# The task that creates the network on the adapter while nobody is connected, and the record of its state. The session
# that starts the task and the task itself write the record; the session that confirms the network reads it.

. (Join-Path $PSScriptRoot 'OwnAddress.ps1')
. (Join-Path $PSScriptRoot 'PendingReboot.ps1')
. (Join-Path $PSScriptRoot 'SystemTask.ps1')
. (Join-Path $PSScriptRoot 'Flannel.ps1')

$ExternalNetworkTaskName = 'kindows-external-network'
$ExternalNetworkRecordPath = 'C:\kindows\state\external-network.json'
# Seconds after which a machine whose network has not come back reboots, which often brings it back.
$ExternalNetworkRescueSeconds = 600

function Save-ExternalNetworkRecord {
    param([string] $State, [string] $Message = '')
    $record = [ordered]@{ state = $State; message = $Message; lastBootUpTime = Get-LastBootUpTime }
    Save-Record -Path $ExternalNetworkRecordPath -Record $record
}

# Whether a recorded time of a boot is that of the running system. Windows computes it from its clock, so it moves by a
# second or two while a time server adjusts the clock. A reboot takes longer than that.
function Test-ThisBoot {
    param([object] $BootTime)
    $boot = (Get-CimInstance -ClassName Win32_OperatingSystem).LastBootUpTime.ToUniversalTime()
    for ($seconds = -2; $seconds -le 2; $seconds++) {
        if ($BootTime -eq $boot.AddSeconds($seconds).ToString('yyyy-MM-ddTHH:mm:ssZ')) { return $true }
    }
    $false
}

# Returns the record if it is from this boot. Otherwise State is none.
function Get-ExternalNetworkRecord {
    $record = Read-Record -Path $ExternalNetworkRecordPath
    if ($null -ne $record -and (Test-ThisBoot -BootTime $record.lastBootUpTime)) {
        return @{ State = $record.state; Message = $record.message }
    }
    @{ State = 'none'; Message = '' }
}

function Stop-RescueReboot {
    # 1116: no shutdown is scheduled.
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\shutdown.exe" -ArgumentList '/a' `
        -TimeoutSeconds 30 -SuccessExitCodes 0, 1116 -Remedy 'Look at the System event log on the machine.'
}

# Starts the task, and closes the SSH port until the task ends. The task runs as SYSTEM, outside this session, which
# will be cut. First a reboot is scheduled, which rescues a machine that stays unreachable. The task cancels it when the
# network is back.
function Start-ExternalNetworkTask {
    param([int] $DelaySeconds, [string] $Address, [string] $Network = 'External')
    Save-ExternalNetworkRecord -State 'running'
    $libraries = 'Step.ps1', 'NativeCommand.ps1', 'ExternalNetworkTask.ps1' |
        ForEach-Object { ". '$(Join-Path $PSScriptRoot $_)'" }
    $call = "Initialize-ExternalNetwork -DelaySeconds $DelaySeconds -Address $Address -Network $Network"
    $command = (@($libraries) + $call) -join '; '
    try {
        # 1190: a shutdown is scheduled already.
        $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\shutdown.exe" -ArgumentList @(
            '/r', '/f', '/t', $ExternalNetworkRescueSeconds, '/c', 'kindows: the network did not come back'
        ) -TimeoutSeconds 30 -SuccessExitCodes 0, 1190 -Remedy 'Look at the System event log on the machine.'
        Start-DetachedTask -Name $ExternalNetworkTaskName -Line $command
    }
    catch {
        # Otherwise nothing would cancel the reboot, and the next run would wait for a task that does not run.
        $cause = $_
        Save-ExternalNetworkRecord -State 'failed' -Message $cause.Exception.Message
        Stop-RescueReboot
        throw $cause
    }
    Close-SshPort
}

# Steps the clock now: afterwards that would move LastBootUpTime, by which Calico knows its network. Windows may know no
# time server, so a failure is only reported.
function Sync-TimeServer {
    try {
        $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\w32tm.exe" `
            -ArgumentList '/resync', '/force' -TimeoutSeconds 30 -Remedy 'None is needed.'
    }
    catch { Write-StepProgress -Message "the clock was not synchronized: $($_.Exception.Message)" }
}

function Initialize-ExternalNetwork {
    param([int] $DelaySeconds, [string] $Address, [string] $Network = 'External')
    try {
        Start-Sleep -Seconds $DelaySeconds
        Sync-TimeServer
        if ($Network -ne 'External') {
            if (Remove-OtherFlannelNetwork -Name $Network) {
                Wait-OwnAddress -Address $Address -TimeoutSeconds 180 -Ready { $true }
            }
            # Even if the network exists, because the service may not be set to start with Windows yet.
            Start-FlannelNetwork -Name $Network
        }
        elseif (-not (Test-ExternalNetwork)) {
            New-ExternalNetwork -Address $Address
        }
        # A copy, because where the block runs, $Address is another function's.
        $wanted = $Address
        Wait-OwnAddress -Address $Address -TimeoutSeconds 180 -Ready {
            Test-ExternalSwitch -Name $Network -Address $wanted
        }
        if ($Network -eq 'External') { Set-CalicoBootTime }
        Save-ExternalNetworkRecord -State 'done'
        Stop-RescueReboot
    }
    catch {
        # The reboot stays scheduled.
        $cause = $_.Exception.GetBaseException()
        Save-ExternalNetworkRecord -State 'failed' -Message $cause.Message
    }
    finally {
        $sshd = Get-Service -Name 'sshd' -ErrorAction SilentlyContinue
        if ($null -ne $sshd -and $sshd.Status -ne 'Running') { $sshd.Start() }
        # A running task continues without its registration.
        Unregister-ScheduledTask -TaskName $ExternalNetworkTaskName -Confirm:$false -ErrorAction Continue
    }
}
