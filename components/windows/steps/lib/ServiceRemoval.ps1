# Taking a Windows service away for good.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# A deleted service stays in the list while anybody holds it open, and nobody can register it anew until then
# (k0sproject/k0s#8033).
function Remove-ServiceInTime {
    param([string] $Name, [int] $TimeoutSeconds = 30)
    if ($null -eq (Get-Service -Name $Name -ErrorAction SilentlyContinue)) {
        return
    }
    Stop-ServiceInTime -Name $Name
    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name='$Name'"
    $answer = Invoke-CimMethod -InputObject $service -MethodName 'Delete'
    # 16: marked for deletion already.
    if (@(0, 16) -notcontains $answer.ReturnValue) {
        Stop-Step -Code 'ResetFailed' -Remedy 'Look for the service in services.msc, then run again.' `
            -Message "Win32_Service.Delete of $Name returned $($answer.ReturnValue)."
    }
    $clock = [Diagnostics.Stopwatch]::StartNew()
    while ($null -ne (Get-Service -Name $Name -ErrorAction SilentlyContinue)) {
        if ($clock.Elapsed.TotalSeconds -gt $TimeoutSeconds) {
            Stop-Step -Code 'ResetFailed' -Remedy 'Close services.msc and what else shows services, or reboot.' `
                -Message "The service $Name is marked for deletion but still there after $TimeoutSeconds s."
        }
        Start-Sleep -Milliseconds 500
    }
    "service $Name"
}
