# The folders kubeadm and kubelet expect.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'ProtectedFile.ps1')

# The link C:\var\lib\kubelet\etc\kubernetes\pki that older guides make is not needed since Kubernetes 1.23: kubeadm
# writes the drive letter into kubelet's configuration.
function Initialize-KubernetesFolder {
    foreach ($path in 'C:\k', 'C:\var\log\kubelet', 'C:\var\lib\kubelet') {
        $null = New-Item -Path $path -ItemType Directory -Force
    }
    foreach ($path in 'C:\etc\kubernetes', 'C:\var\lib\kubelet\pki') {
        Protect-Folder -Path $path
    }
    foreach ($path in 'C:\etc\kubernetes\pki', 'C:\etc\kubernetes\manifests') {
        $null = New-Item -Path $path -ItemType Directory -Force
    }
}
