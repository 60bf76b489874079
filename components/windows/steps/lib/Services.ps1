# Windows services: starting, stopping and removing them with time limits, because Start-Service and Stop-Service wait
# forever; and their command lines, recovery and environment.

. (Join-Path $PSScriptRoot 'NativeCommand.ps1')

function Test-Service {
    param([string] $Name)
    $null -ne (Get-Service -Name $Name -ErrorAction SilentlyContinue)
}

# Also stops the services that depend on it.
function Stop-ServiceInTime {
    param([string] $Name, [int] $TimeoutSeconds = 90)
    $service = Get-Service -Name $Name
    # A stopwatch, because the time of day may be set meanwhile.
    $clock = [Diagnostics.Stopwatch]::StartNew()
    $isStopping = $false
    $lastError = ''
    while ($service.Status -ne 'Stopped') {
        if ($clock.Elapsed.TotalSeconds -gt $TimeoutSeconds) {
            Stop-Step -Code 'CommandTimedOut' -Remedy 'End its process on the machine, then run again.' `
                -Message "The service $Name did not stop in $TimeoutSeconds s: $($service.Status). $lastError"
        }
        if (-not $isStopping) {
            try {
                $service.Stop()
                $isStopping = $true
            }
            catch {
                # A service that is still starting, or stopping already, refuses to stop.
                $lastError = $_.Exception.GetBaseException().Message
            }
        }
        Start-Sleep -Milliseconds 500
        $service.Refresh()
    }
}

# Does nothing for an empty name.
function Stop-ServiceIfPresent {
    param([string] $Name)
    if ($Name -ne '' -and (Test-Service -Name $Name)) { Stop-ServiceInTime -Name $Name }
}

# Waits until the service runs and $Ready is true. The error has the end of the log.
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

# Starts a service that has stopped with another one, if it is automatic. Returns whether it had to be started.
function Start-AutomaticService {
    param([string] $Name, [string] $LogPath)
    $service = Get-Service -Name $Name -ErrorAction SilentlyContinue
    if ($null -eq $service -or $service.StartType -ne 'Automatic' -or $service.Status -eq 'Running') {
        return $false
    }
    Start-ServiceInTime -Name $Name -TimeoutSeconds 60 -LogPath $LogPath
    $true
}

# Starts services again that were stopped for an operation that failed. Does not wait for them, and only reports errors,
# because the step ends with the error of the operation.
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

# Not with sc.exe, for which the command line would need quoting.
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

# Waits until the service is gone. A deleted service stays registered, and can't be registered again, as long as a
# process has it open (k0sproject/k0s#8033).
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

# Registers a service of the pod network without starting it. An existing service with another command line is stopped
# and changed. Returns whether anything changed.
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

# Sets whether Windows restarts the service 5 s after it has ended by itself, however often that happens.
function Set-ServiceRecovery {
    param([string] $Name, [bool] $Restart)
    $services = "$env:SystemRoot\System32\sc.exe"
    $remedy = "Look for the service $Name in services.msc; one marked for deletion goes away with a reboot."
    $actions = if ($Restart) { 'restart/5000/restart/5000/restart/5000' } else { '' }
    $null = Invoke-NativeCommand -FilePath $services -TimeoutSeconds 30 -Remedy $remedy `
        -ArgumentList 'failure', $Name, 'reset=', '3600', 'actions=', $actions
    # A regular stop with an error counts as a failure too.
    $null = Invoke-NativeCommand -FilePath $services -TimeoutSeconds 30 -Remedy $remedy `
        -ArgumentList 'failureflag', $Name, '1'
}

# Services get the machine's variables of the last boot, but the variables in their own key are read at each start.
# $Value has NAME=value for some of the names in $Variable; the others of these names are removed, and all other
# variables stay. Returns whether anything changed. Then the service is stopped, unless $Stop is false.
function Set-ServiceEnvironment {
    param([string] $Name, [string[]] $Variable, [string[]] $Value, [bool] $Stop = $true)
    $path = "HKLM:\SYSTEM\CurrentControlSet\Services\$Name"
    $current = @((Get-Item -LiteralPath $path).GetValue('Environment', @()))
    $others = @($current | Where-Object { $Variable -notcontains ($_ -split '=', 2)[0] })
    $wanted = $others + $Value
    if (($current -join "`n") -ceq ($wanted -join "`n")) { return $false }
    # Stopped first: if the step were killed in between, the service would keep the old values, and no run would notice.
    if ($Stop) { Stop-ServiceInTime -Name $Name }
    if ($wanted.Count -gt 0) {
        $null = New-ItemProperty -LiteralPath $path -Name 'Environment' -PropertyType MultiString -Value $wanted -Force
    }
    else {
        Remove-ItemProperty -LiteralPath $path -Name 'Environment'
    }
    $true
}
