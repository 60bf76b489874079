<#
.SYNOPSIS
Installs the hybrid overlay of ovn-kubernetes as a Windows service, starts it, and configures CNI for its network.

.DESCRIPTION
Installs hybrid-overlay-node.exe to C:\k and the CNI plugins host-local and win-overlay to C:\opt\cni\bin. Registers the
service hybrid-overlay-node, which starts with Windows and restarts whenever it ends, and starts it. The node must have
joined: the service reads the range that ovn-kubernetes has assigned to the node from its Node, and creates the HNS
network OVNKubernetesHybridOverlayNetwork. The adapter already has a switch (Add-ExternalNetwork), so this does not
disconnect the machine. Then this step writes CNI's configuration with that range. The files are already on the machine.
Their checksums are verified.

.PARAMETER NodeName
Name of the Node, lower case. Default: none, mandatory. Source: Machine.name.

.PARAMETER NodeIp
IPv4 address the node registers with. It is the source of the node's packets to other nodes. Default: none, mandatory.
Source: settings, nodes[].nodeIp, else Machine.address.

.PARAMETER PodCidr
Range of the Linux nodes' pods, in CIDR form. Default: none, mandatory. Source: the cluster.

.PARAMETER ServiceCidr
Range of the Services, in CIDR form. Default: none, mandatory. Source: the cluster.

.PARAMETER VxlanPort
UDP port of the overlay's VXLAN, which is opened. Default: 4789. Source: the cluster.

.PARAMETER ProgramPath
Full path of hybrid-overlay-node.exe on the machine. Default: none, mandatory. Source:
components/windows/media-folder.ts.

.PARAMETER ProgramSha256
SHA-256 of that file, 64 hexadecimal digits. Default: none, mandatory. Source: settings, cni.hybridOverlay.

.PARAMETER CniPluginsPath
Full path of cni-plugins-windows-amd64-v<version>.tgz on the machine. Default: none, mandatory. Source:
components/windows/media-folder.ts.

.PARAMETER CniPluginsSha256
SHA-256 of that archive, 64 hexadecimal digits. Default: none, mandatory. Source: components/windows/software.ts.

.OUTPUTS
Facts of the result (lib/Step.ps1): programFrom, cniPluginsFrom (each installed or media), subnet.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 30 MediumMissing; 31 ChecksumMismatch; 32 VersionMismatch; 34 ServiceNotRunning; 35
FileInUse; 54 KubernetesMissing.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)] [ValidatePattern('^[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$')] [string] $NodeName,
    [Parameter(Mandatory)] [ValidatePattern('^[0-9]{1,3}(\.[0-9]{1,3}){3}$')] [string] $NodeIp,
    [Parameter(Mandatory)] [ValidatePattern('^[0-9]{1,3}(\.[0-9]{1,3}){3}/[0-9]{1,2}$')] [string] $PodCidr,
    [Parameter(Mandatory)] [ValidatePattern('^[0-9]{1,3}(\.[0-9]{1,3}){3}/[0-9]{1,2}$')] [string] $ServiceCidr,
    [ValidateRange(1, 65535)] [int] $VxlanPort = 4789,
    [Parameter(Mandatory)] [ValidatePattern('^[A-Za-z]:\\[^"*?<>|/]+$')] [string] $ProgramPath,
    [Parameter(Mandatory)] [ValidatePattern('^[0-9A-Fa-f]{64}$')] [string] $ProgramSha256,
    [Parameter(Mandatory)] [ValidatePattern('^[A-Za-z]:\\[^"*?<>|/]+$')] [string] $CniPluginsPath,
    [Parameter(Mandatory)] [ValidatePattern('^[0-9A-Fa-f]{64}$')] [string] $CniPluginsSha256
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\InstalledProgram.ps1')
. (Join-Path $PSScriptRoot 'lib\HybridOverlay.ps1')

Invoke-Step -Name 'Install-HybridOverlay' -Body {
    if (-not (Test-Path -LiteralPath 'C:\etc\kubernetes\kubelet.conf')) {
        Stop-Step -Code 'KubernetesMissing' -Remedy 'Run Join-Node first.' `
            -Message 'There is no C:\etc\kubernetes\kubelet.conf: the node has not joined.'
    }
    $plugins = 'C:\opt\cni\bin'
    foreach ($path in $plugins, 'C:\etc\cni\net.d', 'C:\var\log\hybrid-overlay') {
        Protect-Folder -Path $path -UsersRead $true
    }
    try {
        $programFrom = Install-Program -Path 'C:\k\hybrid-overlay-node.exe' -Medium $ProgramPath `
            -Checksum $ProgramSha256 -Service $HybridOverlayService
        $cniPluginsFrom = Install-ArchivedProgram -Archive $CniPluginsPath -Checksum $CniPluginsSha256 `
            -Folder $plugins -Name 'cni-plugins' -File @{
            'host-local.exe'  = 'host-local.exe'
            'win-overlay.exe' = 'win-overlay.exe'
        }
    }
    catch {
        Restore-AutomaticService -Name $HybridOverlayService
        throw
    }
    Remove-ReplacedFile -Folder 'C:\k'
    Remove-ReplacedFile -Folder $plugins
    $changed = $programFrom, $cniPluginsFrom -contains 'media'
    $changed = (Set-HybridOverlayFirewallRule -Port $VxlanPort) -or $changed
    $commandLine = Get-HybridOverlayCommandLine -NodeName $NodeName -VxlanPort $VxlanPort
    if (Register-PodNetworkService -Name $HybridOverlayService -CommandLine $commandLine -StartupType Automatic) {
        $changed = $true
    }
    Set-ServiceRecovery -Name $HybridOverlayService -Restart $true
    $changed = (Start-HybridOverlay) -or $changed
    $subnet = Get-HybridOverlaySubnet
    $cni = Get-HybridOverlayCni -Subnet $subnet -NodeIp $NodeIp -PodCidr $PodCidr -ServiceCidr $ServiceCidr
    $changed = (Set-WholeText -Path 'C:\etc\cni\net.d\10-hybrid-overlay.conflist' -Text $cni) -or $changed
    New-StepResult -Changed $changed -Facts ([ordered]@{
            programFrom    = $programFrom
            cniPluginsFrom = $cniPluginsFrom
            subnet         = $subnet
        })
}
