# Starting and stopping Windows services in bounded time; Start-Service and Stop-Service wait for ever.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

<#
.SYNOPSIS
Stops a service and those that depend on it; stops the step where that takes too long.

.PARAMETER Name
Name of the service; one that is stopped already is left alone.

.PARAMETER TimeoutSeconds
Seconds to wait at most.
#>
function Stop-ServiceInTime {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Name,

        [int] $TimeoutSeconds = 90
    )

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

<#
.SYNOPSIS
Starts a service unless it runs, and waits until it does; stops the step where it does not in time.

.PARAMETER Name
Name of the service.

.PARAMETER TimeoutSeconds
Seconds to wait at most.

.PARAMETER LogPath
The service's own log, whose end is part of the error.

.PARAMETER Ready
What must hold as well, beyond the service manager's opinion.
#>
function Start-ServiceInTime {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Name,

        [Parameter(Mandatory = $true)]
        [int] $TimeoutSeconds,

        [Parameter(Mandatory = $true)]
        [string] $LogPath,

        [scriptblock] $Ready = { $true }
    )

    $service = Get-Service -Name $Name
    $clock = [Diagnostics.Stopwatch]::StartNew()
    $lastError = ''
    do {
        try {
            if ($service.Status -eq 'Stopped') {
                $service.Start()
            }
        }
        catch {
            $lastError = $_.Exception.GetBaseException().Message
        }
        $service.Refresh()
        if ($service.Status -eq 'Running' -and (& $Ready)) {
            return
        }
        Start-Sleep -Milliseconds 500
        $service.Refresh()
    } while ($clock.Elapsed.TotalSeconds -lt $TimeoutSeconds)

    $log = '(no log)'
    if (Test-Path -LiteralPath $LogPath) {
        $log = (Get-Content -LiteralPath $LogPath -Tail 10) -join "`n"
    }
    Stop-Step -Code 'ServiceNotRunning' -Remedy "Read $LogPath and the System event log on the machine." `
        -Message "The service $Name is not ready after $TimeoutSeconds s: $($service.Status). $lastError Its log: $log"
}

<#
.SYNOPSIS
Starts a service again where stopping something has stopped it too, if Windows is to start it by itself; returns whether
it did not run.

.PARAMETER Name
Name of the service; one that is not there is minded no more than one that starts by hand.

.PARAMETER LogPath
Full path of its log, whose end is shown when it does not start.
#>
function Start-AutomaticService {
    [CmdletBinding()]
    [OutputType([bool])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Name,

        [Parameter(Mandatory = $true)]
        [string] $LogPath
    )

    $service = Get-Service -Name $Name -ErrorAction SilentlyContinue
    if ($null -eq $service -or $service.StartType -ne 'Automatic' -or $service.Status -eq 'Running') {
        return $false
    }
    Start-ServiceInTime -Name $Name -TimeoutSeconds 60 -LogPath $LogPath
    $true
}

<#
.SYNOPSIS
Has services started again that start by themselves and were stopped for something that has failed. Nobody waits for
them, and what fails is only said: the step ends with the first error.

.PARAMETER Name
Names of the services; those that are not there are passed over.
#>
function Restore-AutomaticService {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string[]] $Name
    )

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

<#
.SYNOPSIS
Changes settings of a service that is there.

.DESCRIPTION
Not by sc.exe: through CIM a command line needs no quoting of its own.

.PARAMETER Name
Name of the service.

.PARAMETER Setting
Arguments of Win32_Service.Change.
#>
function Edit-Service {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Name,

        [Parameter(Mandatory = $true)]
        [hashtable] $Setting
    )

    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name='$Name'"
    $answer = Invoke-CimMethod -InputObject $service -MethodName 'Change' -Arguments $Setting
    if ($answer.ReturnValue -ne 0) {
        Stop-Step -Code 'CommandFailed' `
            -Message "Changing the service $Name failed: Win32_Service.Change returned $($answer.ReturnValue)." `
            -Remedy "Look for the service $Name in services.msc; one marked for deletion goes away with a reboot."
    }
}
