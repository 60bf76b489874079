# Routes to the cluster's ranges. One is written "range=next hop", e.g. 10.244.0.0/16=192.168.150.128. Those of our own
# stand in a record, as Windows keeps no note of who made a route.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

$RouteRecordPath = 'C:\kindows\state\routes.json'
# What is in force, and what comes back with a boot.
$RouteStores = @('ActiveStore', 'PersistentStore')

function Get-RouteRecord {
    $record = Read-Record -Path $RouteRecordPath
    if ($null -ne $record) { $record.routes }
}

function Save-RouteRecord {
    param([string[]] $Route)
    if ($Route.Count -eq 0) { Remove-Record -Path $RouteRecordPath }
    else { Save-Record -Path $RouteRecordPath -Record @{ routes = @($Route) } }
}

function Get-NextHop {
    param([string] $Destination, [string] $Store)
    # All of them are read: asked for one that is not there, Get-NetRoute ends with an error, as it may for a store
    # without any.
    Get-NetRoute -PolicyStore $Store -ErrorAction SilentlyContinue |
        Where-Object { $_.DestinationPrefix -eq $Destination } |
        ForEach-Object { $_.NextHop }
}

# Its 32 bits, as the characters 0 and 1.
function ConvertTo-AddressBit {
    param([string] $Address)
    $bytes = ([Net.IPAddress]$Address).GetAddressBytes()
    @($bytes | ForEach-Object { [Convert]::ToString($_, 2).PadLeft(8, '0') }) -join ''
}

# The number of the adapter on whose segment a next hop is.
function Get-SegmentAdapter {
    param([string] $NextHop)
    $bits = ConvertTo-AddressBit -Address $NextHop
    $own = @(Get-NetIPAddress -AddressFamily IPv4 -ErrorAction Stop)
    foreach ($each in $own) {
        $length = [int]$each.PrefixLength
        $segment = (ConvertTo-AddressBit -Address $each.IPAddress).Substring(0, $length)
        # An address of its own leads nowhere.
        if ($each.IPAddress -ne $NextHop -and $bits.Substring(0, $length) -eq $segment) {
            return [int]$each.InterfaceIndex
        }
    }
    $seen = @($own | ForEach-Object { "$($_.IPAddress)/$($_.PrefixLength)" }) -join ', '
    Stop-Step -Code 'NextHopOffSegment' `
        -Message "$NextHop is to carry packets on, and is no neighbour of this machine. It has $seen." `
        -Remedy 'Give the machine an address on the segment of the control plane, or look at which address that has.'
}

function Assert-RouteFree {
    param([string] $Route, [string[]] $Own)
    $destination, $nextHop = $Route -split '=', 2
    foreach ($store in $RouteStores) {
        foreach ($other in @(Get-NextHop -Destination $destination -Store $store)) {
            if ($other -ne $nextHop -and $Own -notcontains "$destination=$other") {
                Stop-Step -Code 'ForeignRoute' `
                    -Message "This machine has a route to $destination by way of $other; it must be $nextHop." `
                    -Remedy "Remove that route on the machine: route.exe delete $($destination -replace '/.*$', '')"
            }
        }
    }
}

function Get-RouteStore {
    param([string] $Route)
    $destination, $nextHop = $Route -split '=', 2
    foreach ($store in $RouteStores) {
        if (@(Get-NextHop -Destination $destination -Store $store) -contains $nextHop) { $store }
    }
}

function Add-ClusterRoute {
    param([string] $Route, [int] $Adapter)
    # One that is in a single store would be in the way of the new one.
    $null = Remove-ClusterRoute -Route $Route
    $destination, $nextHop = $Route -split '=', 2
    # Without a store it goes into both.
    $null = New-NetRoute -DestinationPrefix $destination -InterfaceIndex $Adapter -NextHop $nextHop -ErrorAction Stop
}

# Returns whether the route was in any store.
function Remove-ClusterRoute {
    param([string] $Route)
    $destination, $nextHop = $Route -split '=', 2
    $stores = @(Get-RouteStore -Route $Route)
    foreach ($store in $stores) {
        Remove-NetRoute -DestinationPrefix $destination -NextHop $nextHop -PolicyStore $store -Confirm:$false `
            -ErrorAction Stop
    }
    $stores.Count -gt 0
}

function Remove-NodeRoute {
    foreach ($route in @(Get-RouteRecord)) {
        if (Remove-ClusterRoute -Route $route) { "route to $($route -replace '=.*$', '')" }
    }
    Save-RouteRecord -Route @()
}
