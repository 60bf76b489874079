# The Windows service flanneld: its output written and rotated by kube-log-runner, started again after every end.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$FlanneldLogPath = 'C:\var\log\flanneld\flanneld.log'

<#
.SYNOPSIS
Returns the command line of the service flanneld.

.DESCRIPTION
With kubelet's own kubeconfig: its certificate renews itself. Where net-conf.json and subnet.env are is flanneld's
default and that of its CNI plugin: /etc/kube-flannel and /run/flannel, on drive C:.

.PARAMETER NodeIp
IPv4 address of the node, by which flanneld finds its adapter.
#>
function Get-FlanneldCommandLine {
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $NodeIp
    )

    @(
        'C:\k\flanneld-service.exe'
        'C:\k\kube-log-runner.exe', '--log-file=C:/var/log/flanneld/flanneld.log'
        '--log-file-size=50Mi', '--log-file-age=168h'
        'C:\k\flanneld.exe', '--kube-subnet-mgr', '--ip-masq'
        '--kubeconfig-file=C:/etc/kubernetes/kubelet.conf'
        '--net-config-path=C:/etc/kube-flannel/net-conf.json'
        '--subnet-file=C:/run/flannel/subnet.env'
        "--iface=$NodeIp"
    ) -join ' '
}

<#
.SYNOPSIS
Registers the service flanneld, stopped and manual, or gives one that is there this command line; returns whether
anything differed. One that gets another is stopped.

.PARAMETER CommandLine
What Get-FlanneldCommandLine returned.
#>
function Register-FlanneldService {
    [CmdletBinding()]
    [OutputType([bool])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $CommandLine
    )

    if ($null -eq (Get-Service -Name 'flanneld' -ErrorAction SilentlyContinue)) {
        $null = New-Service -Name 'flanneld' -DisplayName 'flanneld' -Description 'Network of the pods' `
            -BinaryPathName $CommandLine -StartupType Manual
        return $true
    }
    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name='flanneld'"
    if ($service.PathName -ceq $CommandLine) {
        return $false
    }
    Stop-ServiceInTime -Name 'flanneld'
    Edit-Service -Name 'flanneld' -Setting @{ PathName = $CommandLine }
    $true
}

<#
.SYNOPSIS
Tells flanneld which Node is its own; returns whether it was told another, and then leaves the service stopped.

.PARAMETER NodeName
Name of the Node.
#>
function Set-FlanneldNode {
    [CmdletBinding()]
    [OutputType([bool])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $NodeName
    )

    $path = 'HKLM:\SYSTEM\CurrentControlSet\Services\flanneld'
    $current = @((Get-Item -LiteralPath $path).GetValue('Environment', @()))
    $others = @($current | Where-Object { ($_ -split '=', 2)[0] -ne 'NODE_NAME' })
    $wanted = $others + "NODE_NAME=$NodeName"
    if (($current -join "`n") -ceq ($wanted -join "`n")) {
        return $false
    }
    Stop-ServiceInTime -Name 'flanneld'
    $null = New-ItemProperty -LiteralPath $path -Name 'Environment' -PropertyType MultiString -Value $wanted -Force
    $true
}

<#
.SYNOPSIS
Starts flanneld again on a node whose network it has made, where it was stopped for something new; returns
whether it did not run.

.DESCRIPTION
Automatic is the mark of such a node: it holds even when the step that stopped flanneld was killed before this.
#>
function Start-UsedFlanneld {
    [CmdletBinding()]
    [OutputType([bool])]
    param()

    Start-AutomaticService -Name 'flanneld' -LogPath $FlanneldLogPath
}

<#
.SYNOPSIS
Stops flanneld, where there is one, before the node joins another cluster: it knows that one's API server and its own
range from its start. Its network stays until it is started again.
#>
function Stop-UsedFlanneld {
    [CmdletBinding()]
    param()

    if ($null -ne (Get-Service -Name 'flanneld' -ErrorAction SilentlyContinue)) {
        Stop-ServiceInTime -Name 'flanneld'
    }
}
