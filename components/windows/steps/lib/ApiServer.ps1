# Waits for the API server, and sets the machine's clock from it. kubeadm and kubelet refuse certificates that are not
# valid yet, or no longer.

# Waits until a TCP connection succeeds. $Endpoint is host:port.
function Wait-ApiServer {
    param([string] $Endpoint, [int] $TimeoutSeconds)
    $name, $port = $Endpoint -split ':', 2
    # A stopwatch, because the time of day may be set meanwhile.
    $clock = [Diagnostics.Stopwatch]::StartNew()
    $lastError = 'no answer within 5 s'
    do {
        $client = New-Object -TypeName System.Net.Sockets.TcpClient
        try {
            if ($client.ConnectAsync($name, [int]$port).Wait(5000)) { return }
            $lastError = 'no answer within 5 s'
        }
        catch { $lastError = $_.Exception.GetBaseException().Message }
        finally { $client.Dispose() }
        Start-Sleep -Seconds 2
    } while ($clock.Elapsed.TotalSeconds -lt $TimeoutSeconds)

    Stop-Step -Code 'ApiServerUnreachable' `
        -Message "The API server $Endpoint could not be reached in $TimeoutSeconds s; last seen: $lastError" `
        -Remedy 'Look at the hosts file (Set-HostsEntry), the lab network and whether the control plane runs.'
}

# Kubernetes tolerates smaller differences: certificates are backdated by five minutes.
$ClockToleranceSeconds = 30

# Returns UTC from the Date header of any answer, even of a refusal, or nothing if there is none. The server's
# certificate is not verified, because that would fail with a wrong clock. kubeadm checks the cluster's pinned key right
# afterwards.
function Get-ApiServerTime {
    param([string] $Endpoint)
    try {
        $answer = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\curl.exe" -ArgumentList @(
            '--silent', '--show-error', '--head', '--insecure', '--noproxy', '*', '--max-time', '15',
            "https://$Endpoint/healthz"
        ) -TimeoutSeconds 30 -Remedy 'Set the clock by hand where it is wrong.'
        if ($answer -match '(?im)^date:\s*(?<time>[^\r\n]+?)\s*$') {
            $culture = [Globalization.CultureInfo]::InvariantCulture
            [DateTimeOffset]::ParseExact($Matches['time'], 'r', $culture).UtcDateTime
        }
    }
    catch {
        Write-StepProgress -Message "The API server's time could not be read: $($_.Exception.Message)"
    }
}

# Returns the seconds by which the clock was moved; 0 if it was not.
function Sync-Clock {
    param([string] $Endpoint)
    $time = Get-ApiServerTime -Endpoint $Endpoint
    if ($null -eq $time) { return 0 }
    # Not an int, because the clock may have any date.
    $offset = [long]($time - [DateTime]::UtcNow).TotalSeconds
    if ([math]::Abs($offset) -le $ClockToleranceSeconds) { return 0 }
    Write-StepProgress -Message "the clock differs from the control plane's by $offset s; setting it"
    $null = Set-Date -Date $time.ToLocalTime()
    $offset
}
