# The HNS network on the machine's adapter: Calico's External, or Flannel's. Creating it puts a virtual switch on the
# adapter, which cuts every connection for some seconds. Otherwise Calico would do that when its first pod starts, and
# Flannel when its daemon starts; here it happens when nothing else is running.

$CalicoKey = 'HKLM:\Software\Tigera\Calico'

# Without any network, Get-HnsNetwork may return a single $null.
function Get-ExternalNetwork {
    param([string] $Name)
    Get-HnsNetwork -ErrorAction Stop | Where-Object { $null -ne $_ -and $_.Name -eq $Name } | Select-Object -First 1
}

function Test-ExternalNetwork {
    param([string] $Name = 'External')
    $null -ne (Get-ExternalNetwork -Name $Name)
}

# Returns the address of the adapter that a network's switch is on; empty as long as there is none, or no network.
# Calico's script waits for it too (node-service.ps1).
function Get-SwitchAddress {
    param([object] $Network)
    if ($null -ne $Network -and $Network.PSObject.Properties.Name -contains 'ManagementIP') {
        [string]$Network.ManagementIP
    }
    else { '' }
}

# Whether the switch is on the adapter that has the node's address, and not on another one.
function Test-ExternalSwitch {
    param([string] $Name, [string] $Address)
    $Address -ne '' -and (Get-SwitchAddress -Network (Get-ExternalNetwork -Name $Name)) -eq $Address
}

# Returns the name of the adapter that has an address; nothing if that is a switch's, whose adapter only HNS knows.
function Get-AdapterName {
    param([string] $Address)
    $own = Get-NetIPAddress -AddressFamily IPv4 -ErrorAction Stop |
        Where-Object { $_.IPAddress -eq $Address } | Select-Object -First 1
    if ($null -ne $own -and $own.InterfaceAlias -notlike 'vEthernet (*') { $own.InterfaceAlias }
}

# Uses the values of Calico's script (node-service.ps1), so that Calico accepts the network as its own, and the adapter
# that has the node's address: of several, HNS takes any.
function New-ExternalNetwork {
    param([string] $Address)
    # Windows has cmdlets that list and remove HNS networks, but none that creates one.
    $signature = @'
[DllImport("vmcompute.dll")]
public static extern void HNSCall(
    [MarshalAs(UnmanagedType.LPWStr)] string method,
    [MarshalAs(UnmanagedType.LPWStr)] string path,
    [MarshalAs(UnmanagedType.LPWStr)] string request,
    [MarshalAs(UnmanagedType.LPWStr)] out string response);
'@
    $service = Add-Type -MemberDefinition $signature -Namespace 'Kindows' -Name 'HostNetworkingService' -PassThru
    $network = @{
        Name    = 'External'
        Type    = 'Overlay'
        Subnets = @(@{
                AddressPrefix  = '192.168.255.0/30'
                GatewayAddress = '192.168.255.1'
                Policies       = @(@{ Type = 'VSID'; VSID = 9999 })
            })
    }
    $adapter = Get-AdapterName -Address $Address
    if ($null -ne $adapter) { $network['NetworkAdapterName'] = $adapter }
    $request = ConvertTo-Json -Depth 5 -Compress -InputObject $network
    $response = ''
    $service::HNSCall('POST', '/networks', $request, [ref]$response)
    if (-not (Test-ExternalNetwork)) { throw "HNS did not make the network External: $response" }
}

# The boot time as Calico's scripts write and compare it (libs\calico\calico.psm1): in format G of the current account,
# which is SYSTEM in Calico's pods.
function Get-CalicoBootTime {
    (Get-CimInstance -ClassName Win32_OperatingSystem).LastBootUpTime.ToString('G')
}

# Tells Calico that its networks belong to this boot. Otherwise it removes and recreates them when it first runs.
function Set-CalicoBootTime {
    # New-Item -Force would empty an existing key.
    if (-not (Test-Path -LiteralPath $CalicoKey)) { $null = New-Item -Path $CalicoKey -Force }
    Set-ItemProperty -LiteralPath $CalicoKey -Name 'LastBootTime' -Value (Get-CalicoBootTime)
}

function Test-CalicoBootTime {
    (Test-Path -LiteralPath $CalicoKey) -and
    (Get-Item -LiteralPath $CalicoKey).GetValue('LastBootTime', '') -eq (Get-CalicoBootTime)
}
