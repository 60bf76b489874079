# Routes to the cluster's ranges, written as "range=next hop", e.g. 10.244.0.0/16=192.168.150.128. A record has the
# routes that kindows has added, because Windows does not know who added a route.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

$RouteRecordPath = 'C:\kindows\state\routes.json'
# The routes in effect, and the routes that survive a reboot.
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
    # Reads all routes, because Get-NetRoute fails if asked for one that does not exist. It may also fail for an empty
    # store.
    Get-NetRoute -PolicyStore $Store -ErrorAction SilentlyContinue |
        Where-Object { $_.DestinationPrefix -eq $Destination } |
        ForEach-Object { $_.NextHop }
}

# Returns the address's 32 bits as the characters 0 and 1.
function ConvertTo-AddressBit {
    param([string] $Address)
    $bytes = ([Net.IPAddress]$Address).GetAddressBytes()
    @($bytes | ForEach-Object { [Convert]::ToString($_, 2).PadLeft(8, '0') }) -join ''
}

# Returns the index of the adapter on whose segment the next hop is.
function Get-SegmentAdapter {
    param([string] $NextHop)
    $bits = ConvertTo-AddressBit -Address $NextHop
    $own = @(Get-NetIPAddress -AddressFamily IPv4 -ErrorAction Stop)
    foreach ($each in $own) {
        $length = [int]$each.PrefixLength
        $segment = (ConvertTo-AddressBit -Address $each.IPAddress).Substring(0, $length)
        # The machine itself can't be its next hop.
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
    # A route in only one of the stores would make New-NetRoute fail.
    $null = Remove-ClusterRoute -Route $Route
    $destination, $nextHop = $Route -split '=', 2
    # Without -PolicyStore it is added to both stores.
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
