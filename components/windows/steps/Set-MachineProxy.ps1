<#
.SYNOPSIS
Sets an HTTP proxy for the machine, containerd and kubelet, or removes it.

.DESCRIPTION
Sets the machine's environment variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and those of the services containerd and
kubelet if they exist. The services restart if their variables change. The previous values of the variables are recorded
in C:\kindows\state\proxy.json and restored when all three parameters are empty. Running services then keep the proxy
until their next start. They are not restarted, because this also happens when the machine stops being a node, and a
restarted kubelet would register its Node again, which has just been deleted. Windows' own proxy settings (WinHTTP,
WinINET) are not changed, because neither containerd nor Kubernetes uses them.

.PARAMETER HttpProxy
Proxy for http, without credentials, because every user of the machine can read it. Empty: none. Default: none,
mandatory. Source: settings, windows.proxy.http.

.PARAMETER HttpsProxy
Proxy for https, as HttpProxy. Empty: none. Default: none, mandatory. Source: settings, windows.proxy.https.

.PARAMETER NoProxy
Targets that are reached without the proxy: hosts, domains with a leading dot, addresses and ranges, separated by
commas. Empty: nothing. Default: none, mandatory. Source: stacks/node-setup.ts.

.OUTPUTS
Facts of the result (lib/Step.ps1): httpProxy, httpsProxy, noProxy.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 15 CommandTimedOut; 16
DiskFull; 34 ServiceNotRunning.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)] [AllowEmptyString()] [ValidatePattern('^(https?://[-.0-9A-Za-z]+(:[0-9]{1,5})?/?)?$')]
    [string] $HttpProxy,
    [Parameter(Mandatory)] [AllowEmptyString()] [ValidatePattern('^(https?://[-.0-9A-Za-z]+(:[0-9]{1,5})?/?)?$')]
    [string] $HttpsProxy,
    [Parameter(Mandatory)] [AllowEmptyString()] [ValidatePattern('^([-.:/0-9A-Za-z]+(,[-.:/0-9A-Za-z]+)*)?$')]
    [string] $NoProxy
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\MachineProxy.ps1')
. (Join-Path $PSScriptRoot 'lib\KubeletService.ps1')

Invoke-Step -Name 'Set-MachineProxy' -Body {
    $wanted = @{ HTTP_PROXY = $HttpProxy; HTTPS_PROXY = $HttpsProxy; NO_PROXY = $NoProxy }
    $isRemoval = $HttpProxy -eq '' -and $HttpsProxy -eq '' -and $NoProxy -eq ''
    if ($isRemoval) { $wanted = Get-ProxyRecord }
    else { Save-ProxyRecord }
    $changed = $null -ne $wanted -and (Set-MachineProxy -Variable $wanted)

    foreach ($name in 'containerd', 'kubelet') {
        $changed = ((Test-Service -Name $name) -and (Set-ServiceProxy -Name $name -Stop (-not $isRemoval))) -or $changed
    }
    # They were stopped above, or by an interrupted run.
    if (-not $isRemoval -and (Test-Service -Name 'containerd')) {
        Start-Containerd
        $null = Start-JoinedKubelet
    }
    if ($isRemoval) { Remove-Record -Path $ProxyRecordPath }

    New-StepResult -Changed $changed -Facts ([ordered]@{
            httpProxy  = $HttpProxy
            httpsProxy = $HttpsProxy
            noProxy    = $NoProxy
        })
}
