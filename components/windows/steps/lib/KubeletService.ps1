# The Windows service kubelet, with the folders that it and kubeadm expect: kubelet.exe as a native service, its output
# written and rotated by kube-log-runner.

. (Join-Path $PSScriptRoot 'ProtectedFile.ps1')

# The link C:\var\lib\kubelet\etc\kubernetes\pki that older guides make is not needed since Kubernetes 1.23: kubeadm
# writes the drive letter into kubelet's configuration.
function Initialize-KubernetesFolder {
    foreach ($path in 'C:\k', 'C:\var\log\kubelet', 'C:\var\lib\kubelet') {
        $null = New-Item -Path $path -ItemType Directory -Force
    }
    foreach ($path in 'C:\etc\kubernetes', 'C:\var\lib\kubelet\pki') { Protect-Folder -Path $path }
    foreach ($path in 'C:\etc\kubernetes\pki', 'C:\etc\kubernetes\manifests') {
        $null = New-Item -Path $path -ItemType Directory -Force
    }
}

$KubeletLogPath = 'C:\var\log\kubelet\kubelet.log'

# A native service does not read kubeadm-flags.env, where kubeadm writes what is particular to a node; so that is here.
# cgroups-per-qos and enforce-node-allocatable mean nothing on Windows: kubelet refused their defaults there once, and
# warns of them now. container-runtime-endpoint is also in the configuration kubeadm writes since Kubernetes 1.34; given
# here as well, no default of a kubeadm version matters ("protocol unix not supported").
function Get-KubeletCommandLine {
    param([string[]] $NodeArgument = @())
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

# kubelet looks at all its arguments before it says its version. A service that ends at its start would be found out
# only by kubeadm's time limit.
function Assert-KubeletArgument {
    param([string[]] $Argument)
    $null = Invoke-NativeCommand -FilePath 'C:\k\kubelet.exe' -ArgumentList ($Argument + '--version') `
        -TimeoutSeconds 60 -FailureCode 'KubeletArgsRefused' `
        -Remedy 'Correct nodes[].kubeletArgs in the settings: this version of kubelet does not take them.'
}

# The service is stopped and manual. Returns whether it was missing.
function Register-KubeletService {
    if (Test-Service -Name 'kubelet') { return $false }
    $null = New-Service -Name 'kubelet' -DisplayName 'kubelet' -Description 'Kubernetes node agent' `
        -BinaryPathName (Get-KubeletCommandLine) -StartupType Manual -DependsOn 'containerd'
    $true
}

# Manual until the node has joined, Automatic from then on. Returns whether anything differed; a joined node's is
# stopped before this, not after: a step that ends in between would leave one that runs with its old arguments and
# looks right.
function Set-KubeletService {
    param([string] $CommandLine, [ValidateSet('Manual', 'Automatic')] [string] $StartMode)
    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name='kubelet'"
    $current = if ($service.StartMode -eq 'Auto') { 'Automatic' } else { $service.StartMode }
    if ($service.PathName -ceq $CommandLine -and $current -eq $StartMode) { return $false }
    Edit-Service -Name 'kubelet' -Setting @{ PathName = $CommandLine; StartMode = $StartMode }
    $true
}

# Automatic is the mark of a joined node: it holds even when the step that stopped kubelet, or what it depends on, was
# killed before this. Returns whether it did not run.
function Start-JoinedKubelet {
    Start-AutomaticService -Name 'kubelet' -LogPath $KubeletLogPath
}
