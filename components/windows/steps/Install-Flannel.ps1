<#
.SYNOPSIS
Installs Flannel as a Windows service, with its CNI plugins and its configuration.

.DESCRIPTION
Installs flanneld.exe to C:\k, the CNI plugins flannel, host-local, win-bridge and win-overlay to C:\opt\cni\bin,
Flannel's configuration to C:\etc\kube-flannel and CNI's to C:\etc\cni\net.d. Registers the service flanneld, which runs
behind kube-log-runner (no nssm) and restarts whenever it ends. The service stays stopped and manual, because flanneld
has nothing to do before the node has joined, and its first start disconnects the machine for seconds.
Add-ExternalNetwork starts it. A running flanneld is stopped while its files change; the network and its pods stay.
After a change of the backend it stays stopped until Add-ExternalNetwork has removed the former network. The archives
are already on the machine. Their checksums are verified.

.PARAMETER NodeName
Name of the Node, lower case. Default: none, mandatory. Source: Machine.name.

.PARAMETER NodeIp
IPv4 address the node registers with. flanneld uses the adapter that has it. Default: none, mandatory. Source:
settings, nodes[].nodeIp, else Machine.address.

.PARAMETER NetConf
Flannel's net-conf.json, UTF-8 in base64, because a command line can't contain double quotes. Default: none, mandatory.
Source: components/cni/flannel/flannel-config.ts.

.PARAMETER CniConf
CNI's configuration, in the same form. Default: none, mandatory. Source:
components/cni/flannel/flannel-config.ts.

.PARAMETER DaemonPath
Full path of flannel-v<version>-windows-amd64.tar.gz on the machine. Default: none, mandatory. Source:
components/windows/media-folder.ts.

.PARAMETER DaemonSha256
SHA-256 of that archive, 64 hexadecimal digits. Default: none, mandatory. Source: components/windows/software.ts.

.PARAMETER PluginPath
Full path of cni-plugin-flannel-windows-amd64-v<version>.tgz on the machine. Default: none, mandatory. Source:
components/windows/media-folder.ts.

.PARAMETER PluginSha256
SHA-256 of that archive, 64 hexadecimal digits. Default: none, mandatory. Source: components/windows/software.ts.

.PARAMETER CniPluginsPath
Full path of cni-plugins-windows-amd64-v<version>.tgz on the machine. Default: none, mandatory. Source:
components/windows/media-folder.ts.

.PARAMETER CniPluginsSha256
SHA-256 of that archive, 64 hexadecimal digits. Default: none, mandatory. Source: components/windows/software.ts.

.OUTPUTS
Facts of the result (lib/Step.ps1): flanneldFrom, pluginFrom, cniPluginsFrom (each installed or media), serviceHost
(installed or compiled).

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed; 15
CommandTimedOut; 16 DiskFull; 30 MediumMissing; 31 ChecksumMismatch; 34 ServiceNotRunning; 35 FileInUse; 54
KubernetesMissing.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)] [ValidatePattern('^[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$')] [string] $NodeName,
    [Parameter(Mandatory)] [ValidatePattern('^[0-9]{1,3}(\.[0-9]{1,3}){3}$')] [string] $NodeIp,
    [Parameter(Mandatory)] [ValidatePattern('^[0-9A-Za-z+/]+={0,2}$')] [string] $NetConf,
    [Parameter(Mandatory)] [ValidatePattern('^[0-9A-Za-z+/]+={0,2}$')] [string] $CniConf,
    [Parameter(Mandatory)] [ValidatePattern('^[A-Za-z]:\\[^"*?<>|/]+$')] [string] $DaemonPath,
    [Parameter(Mandatory)] [ValidatePattern('^[0-9A-Fa-f]{64}$')] [string] $DaemonSha256,
    [Parameter(Mandatory)] [ValidatePattern('^[A-Za-z]:\\[^"*?<>|/]+$')] [string] $PluginPath,
    [Parameter(Mandatory)] [ValidatePattern('^[0-9A-Fa-f]{64}$')] [string] $PluginSha256,
    [Parameter(Mandatory)] [ValidatePattern('^[A-Za-z]:\\[^"*?<>|/]+$')] [string] $CniPluginsPath,
    [Parameter(Mandatory)] [ValidatePattern('^[0-9A-Fa-f]{64}$')] [string] $CniPluginsSha256
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\InstalledProgram.ps1')
. (Join-Path $PSScriptRoot 'lib\FlanneldHost.ps1')
. (Join-Path $PSScriptRoot 'lib\Flannel.ps1')

Invoke-Step -Name 'Install-Flannel' -Body {
    if (-not (Test-Path -LiteralPath 'C:\k\kube-log-runner.exe')) {
        Stop-Step -Code 'KubernetesMissing' -Message 'There is no C:\k\kube-log-runner.exe.' `
            -Remedy 'Run Install-Kubernetes first.'
    }
    $plugins = 'C:\opt\cni\bin'
    foreach ($path in $plugins, 'C:\etc\cni\net.d', 'C:\etc\kube-flannel', 'C:\run\flannel', 'C:\var\log\flanneld') {
        Protect-Folder -Path $path -UsersRead $true
    }

    try {
        $flanneldFrom = Install-ArchivedProgram -Archive $DaemonPath -Checksum $DaemonSha256 -Folder 'C:\k' `
            -Name 'flannel' -File @{ 'flanneld.exe' = 'flanneld.exe' } -Service 'flanneld'
        $pluginFrom = Install-ArchivedProgram -Archive $PluginPath -Checksum $PluginSha256 -Folder $plugins `
            -Name 'flannel-plugin' -File @{ 'flannel-amd64.exe' = 'flannel.exe' }
        $cniPluginsFrom = Install-ArchivedProgram -Archive $CniPluginsPath -Checksum $CniPluginsSha256 `
            -Folder $plugins -Name 'cni-plugins' -File @{
            'host-local.exe'  = 'host-local.exe'
            'win-bridge.exe'  = 'win-bridge.exe'
            'win-overlay.exe' = 'win-overlay.exe'
        }
        $serviceHost = Install-FlanneldHost
    }
    catch {
        Restore-AutomaticService -Name 'flanneld'
        throw
    }
    Remove-ReplacedFile -Folder 'C:\k'
    Remove-ReplacedFile -Folder $plugins
    $changed = $serviceHost -eq 'compiled' -or $flanneldFrom, $pluginFrom, $cniPluginsFrom -contains 'media'

    # flanneld reads its configuration when it starts. CNI's is read for each pod, without a restart.
    $netConfPath = 'C:\etc\kube-flannel\net-conf.json'
    $former = Get-FlannelNetworkName -NetConf (Read-WholeText -Path $netConfPath)
    if (Set-EncodedFile -Path $netConfPath -Content $NetConf -Service 'flanneld') {
        $changed = $true
    }
    $changed = (Set-EncodedFile -Path 'C:\etc\cni\net.d\10-flannel.conflist' -Content $CniConf) -or $changed
    $changed = (Register-PodNetworkService -Name 'flanneld' -StartupType Manual `
            -CommandLine (Get-FlanneldCommandLine -NodeIp $NodeIp)) -or $changed
    Set-ServiceRecovery -Name 'flanneld' -Restart $true
    # flanneld finds its Node by this name.
    $changed = (Set-ServiceEnvironment -Name 'flanneld' -Variable 'NODE_NAME' -Value "NODE_NAME=$NodeName") -or $changed
    # Another backend's network is in the way at first. Add-ExternalNetwork removes it, while nobody is connected.
    if ((Get-FlannelNetworkName -NetConf (Read-WholeText -Path $netConfPath)) -eq $former) {
        $changed = (Start-UsedFlanneld) -or $changed
    }

    New-StepResult -Changed $changed -Facts ([ordered]@{
            flanneldFrom   = $flanneldFrom
            pluginFrom     = $pluginFrom
            cniPluginsFrom = $cniPluginsFrom
            serviceHost    = $serviceHost
        })
}
