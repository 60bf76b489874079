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

# Once the switch is on the adapter, HNS knows the adapter's address. Calico's script waits for it too
# (node-service.ps1).
function Test-ExternalSwitch {
    param([string] $Name)
    $network = Get-ExternalNetwork -Name $Name
    $null -ne $network -and $network.PSObject.Properties.Name -contains 'ManagementIP' -and
    [string]$network.ManagementIP -ne ''
}

# Uses the values of Calico's script (node-service.ps1), so that Calico accepts the network as its own.
function New-ExternalNetwork {
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
    $request = ConvertTo-Json -Depth 5 -Compress -InputObject @{
        Name    = 'External'
        Type    = 'Overlay'
        Subnets = @(@{
                AddressPrefix  = '192.168.255.0/30'
                GatewayAddress = '192.168.255.1'
                Policies       = @(@{ Type = 'VSID'; VSID = 9999 })
            })
    }
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
