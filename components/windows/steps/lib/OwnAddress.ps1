# The machine's own addresses.

# Returns the IPv4 addresses, including the loopback's.
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

# Waits until the machine has its address after HNS has put a switch on the adapter, which $Ready tests. Windows
# sometimes keeps a self-assigned address (169.254.x.x), so after half of the time the DHCP lease is renewed. Right
# after requesting the switch, the old address may still be there and disappear a second later, so the address must last
# for 10 s.
function Wait-OwnAddress {
    param([string] $Address, [scriptblock] $Ready, [int] $TimeoutSeconds)
    $clock = [Diagnostics.Stopwatch]::StartNew()
    $isRenewed = $false
    $successes = 0
    while ($true) {
        $isThere = (Test-OwnAddress -Address $Address) -and (& $Ready)
        $successes = if ($isThere) { $successes + 1 } else { 0 }
        if ($successes -gt 5) { return }
        if (-not $isThere -and $clock.Elapsed.TotalSeconds -gt $TimeoutSeconds) {
            $seen = @(Get-OwnAddress)
            if ($seen -contains $Address) {
                throw "The address $Address is there, but HNS put no switch on its adapter in $TimeoutSeconds s."
            }
            throw "The address $Address did not come back in $TimeoutSeconds s; the machine has $($seen -join ', ')."
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
