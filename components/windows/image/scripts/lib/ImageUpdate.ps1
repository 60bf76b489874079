# The cumulative update that is put into an image: a disc's Windows may be older than a node's may be.

# At a logon at the machine: in a session over the network Windows' update agent installs nothing
# (https://learn.microsoft.com/windows/win32/wua_sdk/using-wua-from-a-remote-computer).
function Install-ImageUpdate {
    param([string] $Package)
    # 1641, 3010, 2359301 (0x240005): done, and wants the reboot that comes; 2359302 (0x240006): Windows has it already.
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\wusa.exe" -TimeoutSeconds 5400 `
        -ArgumentList $Package, '/quiet', '/norestart' -SuccessExitCodes 0, 1641, 3010, 2359301, 2359302 `
        -Remedy ('-2145124329 (0x80240017): it is for another Windows, so name another one in ' +
        'kindows:windows.image.update. For others see C:\Windows\Logs\CBS\CBS.log on the machine.')
}

function Get-ImageBuild {
    $windows = Get-ItemProperty -LiteralPath 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion'
    [pscustomobject]@{
        Build    = [int]$windows.CurrentBuildNumber
        Revision = [int]$windows.UBR
    }
}
