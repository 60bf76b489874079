# The Windows service kubelet, and the folders that kubelet and kubeadm expect. kubelet.exe is a native service;
# kube-log-runner writes and rotates its output.

. (Join-Path $PSScriptRoot 'ProtectedFile.ps1')

# The link C:\var\lib\kubelet\etc\kubernetes\pki of older guides is not needed since Kubernetes 1.23, because kubeadm
# writes the drive letter into kubelet's configuration.
function Initialize-KubernetesFolder {
    foreach ($path in 'C:\k', 'C:\var\log\kubelet') { Protect-Folder -Path $path -UsersRead $true }
    # Users can create files in it: the volumes of pods are below, where the accounts in containers write as users.
    $null = New-Item -Path 'C:\var\lib\kubelet' -ItemType Directory -Force
    foreach ($path in 'C:\etc\kubernetes', 'C:\var\lib\kubelet\pki') { Protect-Folder -Path $path }
    foreach ($inside in 'C:\etc\kubernetes\pki', 'C:\etc\kubernetes\manifests') {
        $null = New-Item -Path $inside -ItemType Directory -Force
    }
}

$KubeletLogPath = 'C:\var\log\kubelet\kubelet.log'

# A native service does not read kubeadm-flags.env, where kubeadm writes a node's own arguments, so they are here.
# cgroups-per-qos and enforce-node-allocatable have no effect on Windows. Earlier kubelets refused their defaults there;
# now kubelet warns of them. Since Kubernetes 1.34 kubeadm writes container-runtime-endpoint to kubelet's configuration.
# It is also here, so that no default of a kubeadm version applies ("protocol unix not supported").
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

# Runs kubelet with --version, which checks all arguments first. Otherwise a refused argument would only show when
# kubeadm's time limit ends.
function Assert-KubeletArgument {
    param([string[]] $Argument)
    $null = Invoke-NativeCommand -FilePath 'C:\k\kubelet.exe' -ArgumentList ($Argument + '--version') `
        -TimeoutSeconds 60 -FailureCode 'KubeletArgsRefused' `
        -Remedy 'Correct nodes[].kubeletArgs in the settings: this version of kubelet does not take them.'
}

# Registers the service as stopped and manual. Returns whether it was missing.
function Register-KubeletService {
    if (Test-Service -Name 'kubelet') { return $false }
    $null = New-Service -Name 'kubelet' -DisplayName 'kubelet' -Description 'Kubernetes node agent' `
        -BinaryPathName (Get-KubeletCommandLine) -StartupType Manual -DependsOn 'containerd'
    $true
}

# Manual until the node has joined, Automatic from then on. Returns whether anything changed. The caller stops a running
# kubelet before: if the step were killed in between, kubelet would keep its old arguments, and no run would notice.
function Set-KubeletService {
    param([string] $CommandLine, [ValidateSet('Manual', 'Automatic')] [string] $StartMode)
    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name='kubelet'"
    $current = if ($service.StartMode -eq 'Auto') { 'Automatic' } else { $service.StartMode }
    if ($service.PathName -ceq $CommandLine -and $current -eq $StartMode) { return $false }
    Edit-Service -Name 'kubelet' -Setting @{ PathName = $CommandLine; StartMode = $StartMode }
    $true
}

# Starts kubelet on a joined node, which its start type Automatic shows, even if the step that stopped kubelet or
# containerd was killed. Returns whether kubelet had to be started.
function Start-JoinedKubelet {
    Start-AutomaticService -Name 'kubelet' -LogPath $KubeletLogPath
}
