# The cumulative update that is installed in an image, because an ISO's Windows may be too old for a node.

# Must run in a logon at the machine: in a network session Windows' update agent installs nothing
# (https://learn.microsoft.com/windows/win32/wua_sdk/using-wua-from-a-remote-computer).
function Install-ImageUpdate {
    param([string] $Package)
    # 1641, 3010, 2359301 (0x240005): done, reboot required; 2359302 (0x240006): already installed.
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\wusa.exe" -TimeoutSeconds 5400 `
        -ArgumentList $Package, '/quiet', '/norestart' -SuccessExitCodes 0, 1641, 3010, 2359301, 2359302 `
        -Remedy ('-2145124329 (0x80240017): the update is for another Windows, so name another one in ' +
        'kindows:windows.image.update. For other codes see C:\Windows\Logs\CBS\CBS.log on the machine.')
}

function Get-ImageBuild {
    $windows = Get-ItemProperty -LiteralPath 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion'
    [pscustomobject]@{
        Build    = [int]$windows.CurrentBuildNumber
        Revision = [int]$windows.UBR
    }
}
