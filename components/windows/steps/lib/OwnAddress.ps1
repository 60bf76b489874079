# The machine's own addresses.

# IPv4, the loopback's too.
function Get-OwnAddress {
    Get-NetIPAddress -AddressFamily IPv4 -ErrorAction Stop | ForEach-Object { $_.IPAddress }
}

function Test-OwnAddress {
    param([string] $Address)
    @(Get-OwnAddress) -contains $Address
}

function Assert-NodeAddress {
    param([string] $Address)
    if (Test-OwnAddress -Address $Address) { return }
    $found = @(Get-OwnAddress | Where-Object { $_ -ne '127.0.0.1' })
    $seen = if ($found.Count -eq 0) { 'none' } else { $found -join ', ' }
    Stop-Step -Code 'NodeIpMissing' `
        -Message "The node shall register with $Address, which is no address of this machine. It has: $seen." `
        -Remedy 'Set nodes[].nodeIp to one that the machine has and other nodes reach, or give its adapter this one.'
}

# After the switch has been put on the adapter, Windows sometimes stays with an address of its own making (169.254.x.x):
# half way, the lease is renewed. Right after the switch was asked for, the old address may still be there, and go a
# second later: it has to be there for 10 s. $Ready tells whether the switch is on the adapter.
function Wait-OwnAddress {
    param([string] $Address, [scriptblock] $Ready, [int] $TimeoutSeconds)
    $clock = [Diagnostics.Stopwatch]::StartNew()
    $isRenewed = $false
    $looks = 0
    while ($true) {
        $isThere = (Test-OwnAddress -Address $Address) -and (& $Ready)
        $looks = if ($isThere) { $looks + 1 } else { 0 }
        if ($looks -gt 5) { return }
        if (-not $isThere -and $clock.Elapsed.TotalSeconds -gt $TimeoutSeconds) {
            $seen = @(Get-OwnAddress) -join ', '
            throw "The address $Address did not come back in $TimeoutSeconds s; the machine has $seen."
        }
        if (-not $isThere -and -not $isRenewed -and $clock.Elapsed.TotalSeconds -gt $TimeoutSeconds / 2) {
            $isRenewed = $true
            $filter = 'DHCPEnabled=TRUE AND IPEnabled=TRUE'
            foreach ($adapter in Get-CimInstance -ClassName Win32_NetworkAdapterConfiguration -Filter $filter) {
                $answer = Invoke-CimMethod -InputObject $adapter -MethodName 'RenewDHCPLease'
                if ($answer.ReturnValue -ne 0) {
                    Write-StepProgress -Message "renewing a lease failed: $($answer.ReturnValue)"
                }
            }
        }
        Start-Sleep -Seconds 2
    }
}
