# The Windows service kubelet: kubelet.exe as a native service, its output written and rotated by kube-log-runner.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$KubeletLogPath = 'C:\var\log\kubelet\kubelet.log'

<#
.SYNOPSIS
Returns the command line of the service kubelet.

.DESCRIPTION
A native service does not read kubeadm-flags.env, where kubeadm writes what is particular to a node; so that is here.
cgroups-per-qos and enforce-node-allocatable mean nothing on Windows: kubelet refused their defaults there once, and
warns of them now.
container-runtime-endpoint is also in the configuration kubeadm writes since Kubernetes 1.34; given here as well, no
default of a kubeadm version matters ("protocol unix not supported").

.PARAMETER NodeArgument
Arguments of this node in addition, each without spaces.
#>
function Get-KubeletCommandLine {
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [AllowEmptyCollection()]
        [string[]] $NodeArgument = @()
    )

    @(
        'C:\k\kube-log-runner.exe', '--log-file=C:/var/log/kubelet/kubelet.log'
        '--log-file-size=50Mi', '--log-file-age=168h'
        'C:\k\kubelet.exe', '--windows-service'
        '--cert-dir=C:/var/lib/kubelet/pki'
        '--config=C:/var/lib/kubelet/config.yaml'
        '--bootstrap-kubeconfig=C:/etc/kubernetes/bootstrap-kubelet.conf'
        '--kubeconfig=C:/etc/kubernetes/kubelet.conf'
        '--container-runtime-endpoint=npipe:////./pipe/containerd-containerd'
        '--cgroups-per-qos=false', '--enforce-node-allocatable=', '--resolv-conf=', '--enable-debugging-handlers'
        $NodeArgument
    ) -join ' '
}

<#
.SYNOPSIS
Asks kubelet whether it knows these arguments: it looks at all of them before it says its version.

.DESCRIPTION
Found out here in a second; a service that ends at its start would be found out by kubeadm's time limit.

.PARAMETER Argument
Arguments with their dashes.
#>
function Assert-KubeletArgument {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string[]] $Argument
    )

    $null = Invoke-NativeCommand -FilePath 'C:\k\kubelet.exe' -ArgumentList ($Argument + '--version') `
        -TimeoutSeconds 60 -FailureCode 'KubeletArgsRefused' `
        -Remedy 'Correct nodes[].kubeletArgs in the settings: this version of kubelet does not take them.'
}

<#
.SYNOPSIS
Registers the service kubelet, stopped and manual; returns whether it was missing.
#>
function Register-KubeletService {
    [CmdletBinding()]
    [OutputType([bool])]
    param()

    $missing = $null -eq (Get-Service -Name 'kubelet' -ErrorAction SilentlyContinue)
    if ($missing) {
        $null = New-Service -Name 'kubelet' -DisplayName 'kubelet' -Description 'Kubernetes node agent' `
            -BinaryPathName (Get-KubeletCommandLine) -StartupType Manual -DependsOn 'containerd'
    }
    $missing
}

<#
.SYNOPSIS
Gives the service kubelet its command line and start mode; returns whether anything differed, and then leaves it stopped
where that is asked for.

.PARAMETER CommandLine
What Get-KubeletCommandLine returned.

.PARAMETER StartMode
Manual until the node has joined, Automatic from then on.

.PARAMETER Stop
Whether a service that is changed is stopped first.
#>
function Set-KubeletService {
    [CmdletBinding()]
    [OutputType([bool])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $CommandLine,

        [Parameter(Mandatory = $true)]
        [ValidateSet('Manual', 'Automatic')]
        [string] $StartMode,

        [bool] $Stop = $false
    )

    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name='kubelet'"
    $current = if ($service.StartMode -eq 'Auto') { 'Automatic' } else { $service.StartMode }
    if ($service.PathName -ceq $CommandLine -and $current -eq $StartMode) {
        return $false
    }
    # Before, not after: a step that ends in between would leave one that runs with its old arguments and looks right.
    if ($Stop) {
        Stop-ServiceInTime -Name 'kubelet'
    }
    Edit-Service -Name 'kubelet' -Setting @{ PathName = $CommandLine; StartMode = $StartMode }
    $true
}

<#
.SYNOPSIS
Starts kubelet again on a node that has joined, where stopping something it depends on has stopped it too;
returns whether it did not run.

.DESCRIPTION
Automatic is the mark of a joined node: it holds even when the step that stopped kubelet was killed before this.
#>
function Start-JoinedKubelet {
    [CmdletBinding()]
    [OutputType([bool])]
    param()

    Start-AutomaticService -Name 'kubelet' -LogPath $KubeletLogPath
}
