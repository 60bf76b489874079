# Windows services: started, stopped and removed in bounded time, since Start-Service and Stop-Service wait for ever;
# their command line, what happens after a crash, and their environment.

. (Join-Path $PSScriptRoot 'NativeCommand.ps1')

function Test-Service {
    param([string] $Name)
    $null -ne (Get-Service -Name $Name -ErrorAction SilentlyContinue)
}

# Stops those that depend on it, too.
function Stop-ServiceInTime {
    param([string] $Name, [int] $TimeoutSeconds = 90)
    $service = Get-Service -Name $Name
    # Not by the time of day: that may be set meanwhile.
    $clock = [Diagnostics.Stopwatch]::StartNew()
    $asked = $false
    $lastError = ''
    while ($service.Status -ne 'Stopped') {
        if ($clock.Elapsed.TotalSeconds -gt $TimeoutSeconds) {
            Stop-Step -Code 'CommandTimedOut' -Remedy 'End its process on the machine, then run again.' `
                -Message "The service $Name did not stop in $TimeoutSeconds s: $($service.Status). $lastError"
        }
        if (-not $asked) {
            try {
                $service.Stop()
                $asked = $true
            }
            catch {
                # It is still starting, or stopping already: neither takes orders.
                $lastError = $_.Exception.GetBaseException().Message
            }
        }
        Start-Sleep -Milliseconds 500
        $service.Refresh()
    }
}

# An empty name is that of no service.
function Stop-ServiceIfPresent {
    param([string] $Name)
    if ($Name -ne '' -and (Test-Service -Name $Name)) { Stop-ServiceInTime -Name $Name }
}

# $Ready must hold as well, beyond the service manager's opinion; the end of the log is part of the error.
function Start-ServiceInTime {
    param([string] $Name, [int] $TimeoutSeconds, [string] $LogPath, [scriptblock] $Ready = { $true })
    $service = Get-Service -Name $Name
    $clock = [Diagnostics.Stopwatch]::StartNew()
    $lastError = ''
    do {
        try {
            if ($service.Status -eq 'Stopped') { $service.Start() }
        }
        catch { $lastError = $_.Exception.GetBaseException().Message }
        $service.Refresh()
        if ($service.Status -eq 'Running' -and (& $Ready)) { return }
        Start-Sleep -Milliseconds 500
        $service.Refresh()
    } while ($clock.Elapsed.TotalSeconds -lt $TimeoutSeconds)

    $log = '(no log)'
    if (Test-Path -LiteralPath $LogPath) { $log = (Get-Content -LiteralPath $LogPath -Tail 10) -join "`n" }
    Stop-Step -Code 'ServiceNotRunning' -Remedy "Read $LogPath and the System event log on the machine." `
        -Message "The service $Name is not ready after $TimeoutSeconds s: $($service.Status). $lastError Its log: $log"
}

$ContainerdLogPath = 'C:\var\log\containerd\containerd.log'

function Start-Containerd {
    Start-ServiceInTime -Name 'containerd' -TimeoutSeconds 120 -LogPath $ContainerdLogPath `
        -Ready { Test-Path -LiteralPath '\\.\pipe\containerd-containerd' }
}

# For a service that has stopped with another one. Returns whether it did not run.
function Start-AutomaticService {
    param([string] $Name, [string] $LogPath)
    $service = Get-Service -Name $Name -ErrorAction SilentlyContinue
    if ($null -eq $service -or $service.StartType -ne 'Automatic' -or $service.Status -eq 'Running') {
        return $false
    }
    Start-ServiceInTime -Name $Name -TimeoutSeconds 60 -LogPath $LogPath
    $true
}

# Starts services that were stopped for something that has failed. Nobody waits for them, and what fails is only said:
# the step ends with the first error.
function Restore-AutomaticService {
    param([string[]] $Name)
    foreach ($each in $Name) {
        try {
            $service = Get-Service -Name $each -ErrorAction SilentlyContinue
            if ($null -ne $service -and $service.StartType -eq 'Automatic' -and $service.Status -eq 'Stopped') {
                $service.Start()
            }
        }
        catch {
            Write-StepProgress -Message "The service $each does not start: $($_.Exception.GetBaseException().Message)"
        }
    }
}

# Not by sc.exe: through CIM a command line needs no quoting of its own.
function Edit-Service {
    param([string] $Name, [hashtable] $Setting)
    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name='$Name'"
    $answer = Invoke-CimMethod -InputObject $service -MethodName 'Change' -Arguments $Setting
    if ($answer.ReturnValue -ne 0) {
        Stop-Step -Code 'CommandFailed' `
            -Message "Changing the service $Name failed: Win32_Service.Change returned $($answer.ReturnValue)." `
            -Remedy "Look for the service $Name in services.msc; one marked for deletion goes away with a reboot."
    }
}

# A deleted service stays in the list while anybody holds it open, and nobody can register it again until then
# (k0sproject/k0s#8033).
function Remove-ServiceInTime {
    param([string] $Name, [int] $TimeoutSeconds = 30)
    if (-not (Test-Service -Name $Name)) { return }
    Stop-ServiceInTime -Name $Name
    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name='$Name'"
    $answer = Invoke-CimMethod -InputObject $service -MethodName 'Delete'
    # 16: marked for deletion already.
    if (@(0, 16) -notcontains $answer.ReturnValue) {
        Stop-Step -Code 'ResetFailed' -Remedy 'Look for the service in services.msc, then run again.' `
            -Message "Win32_Service.Delete of $Name returned $($answer.ReturnValue)."
    }
    $clock = [Diagnostics.Stopwatch]::StartNew()
    while (Test-Service -Name $Name) {
        if ($clock.Elapsed.TotalSeconds -gt $TimeoutSeconds) {
            Stop-Step -Code 'ResetFailed' -Remedy 'Close services.msc and what else shows services, or reboot.' `
                -Message "The service $Name is marked for deletion but still there after $TimeoutSeconds s."
        }
        Start-Sleep -Milliseconds 500
    }
    "service $Name"
}

# A service of the pods' network; it is not started. One that is there with another command line is stopped and gets
# this one. Returns whether anything differed.
function Register-PodNetworkService {
    param([string] $Name, [string] $CommandLine, [ValidateSet('Manual', 'Automatic')] [string] $StartupType)
    if (-not (Test-Service -Name $Name)) {
        $null = New-Service -Name $Name -DisplayName $Name -Description 'Network of the pods' `
            -BinaryPathName $CommandLine -StartupType $StartupType
        return $true
    }
    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name='$Name'"
    if ($service.PathName -ceq $CommandLine) { return $false }
    Stop-ServiceInTime -Name $Name
    Edit-Service -Name $Name -Setting @{ PathName = $CommandLine }
    $true
}

# Whether Windows starts the service again 5 s after it has ended by itself, however often that happens.
function Set-ServiceRecovery {
    param([string] $Name, [bool] $Restart)
    $services = "$env:SystemRoot\System32\sc.exe"
    $remedy = "Look for the service $Name in services.msc; one marked for deletion goes away with a reboot."
    $actions = if ($Restart) { 'restart/5000/restart/5000/restart/5000' } else { '' }
    $null = Invoke-NativeCommand -FilePath $services -TimeoutSeconds 30 -Remedy $remedy `
        -ArgumentList 'failure', $Name, 'reset=', '3600', 'actions=', $actions
    # An orderly end with an error counts as a failure as well.
    $null = Invoke-NativeCommand -FilePath $services -TimeoutSeconds 30 -Remedy $remedy `
        -ArgumentList 'failureflag', $Name, '1'
}

# Windows gives services the machine's variables of the last boot; those in the service's own key are read at each
# start. $Value has NAME=value for some of the names in $Variable; all others there stay. Returns whether anything
# differed, and then leaves the service stopped, unless it shall keep the old ones until its next start.
function Set-ServiceEnvironment {
    param([string] $Name, [string[]] $Variable, [string[]] $Value, [bool] $Stop = $true)
    $path = "HKLM:\SYSTEM\CurrentControlSet\Services\$Name"
    $current = @((Get-Item -LiteralPath $path).GetValue('Environment', @()))
    $others = @($current | Where-Object { $Variable -notcontains ($_ -split '=', 2)[0] })
    $wanted = $others + $Value
    if (($current -join "`n") -ceq ($wanted -join "`n")) { return $false }
    # Before, not after: a step killed in between would leave one that runs with the old ones and looks right.
    if ($Stop) { Stop-ServiceInTime -Name $Name }
    if ($wanted.Count -gt 0) {
        $null = New-ItemProperty -LiteralPath $path -Name 'Environment' -PropertyType MultiString -Value $wanted -Force
    }
    else {
        Remove-ItemProperty -LiteralPath $path -Name 'Environment'
    }
    $true
}
