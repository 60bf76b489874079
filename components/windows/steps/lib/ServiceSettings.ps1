# Settings of services: the command line of a pod network's, what happens after a crash, and the environment.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'NativeCommand.ps1')
. (Join-Path $PSScriptRoot 'MachineProxy.ps1')

# A service of the pods' network; it is not started. One that is there with another command line is stopped and gets
# this one. Returns whether anything differed.
function Register-PodNetworkService {
    param([string] $Name, [string] $CommandLine, [ValidateSet('Manual', 'Automatic')] [string] $StartupType)
    if (-not (Test-Service -Name $Name)) {
        $null = New-Service -Name $Name -DisplayName $Name -Description 'Network of the pods' `
            -BinaryPathName $CommandLine -StartupType $StartupType
        return $true
    }
    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name='$Name'"
    if ($service.PathName -ceq $CommandLine) {
        return $false
    }
    Stop-ServiceInTime -Name $Name
    Edit-Service -Name $Name -Setting @{ PathName = $CommandLine }
    $true
}

# Whether Windows starts the service again 5 s after it has ended by itself, however often that happens.
function Set-ServiceRecovery {
    param([string] $Name, [bool] $Restart)
    $services = "$env:SystemRoot\System32\sc.exe"
    $remedy = "Look for the service $Name in services.msc; one marked for deletion goes away with a reboot."
    $actions = if ($Restart) { 'restart/5000/restart/5000/restart/5000' } else { '' }
    $null = Invoke-NativeCommand -FilePath $services -TimeoutSeconds 30 -Remedy $remedy `
        -ArgumentList 'failure', $Name, 'reset=', '3600', 'actions=', $actions
    # An orderly end with an error counts as a failure as well.
    $null = Invoke-NativeCommand -FilePath $services -TimeoutSeconds 30 -Remedy $remedy `
        -ArgumentList 'failureflag', $Name, '1'
}

# Windows gives services the machine's variables of the last boot; those in the service's own key are read at each
# start. $Value has NAME=value for some of the names in $Variable; all others there stay. Returns whether anything
# differed, and then leaves the service stopped, unless it shall keep the old ones until its next start.
function Set-ServiceEnvironment {
    param([string] $Name, [string[]] $Variable, [string[]] $Value, [bool] $Stop = $true)
    $path = "HKLM:\SYSTEM\CurrentControlSet\Services\$Name"
    $current = @((Get-Item -LiteralPath $path).GetValue('Environment', @()))
    $others = @($current | Where-Object { $Variable -notcontains ($_ -split '=', 2)[0] })
    $wanted = $others + $Value
    if (($current -join "`n") -ceq ($wanted -join "`n")) {
        return $false
    }
    # Before, not after: a step killed in between would leave one that runs with the old ones and looks right.
    if ($Stop) {
        Stop-ServiceInTime -Name $Name
    }
    if ($wanted.Count -gt 0) {
        $null = New-ItemProperty -LiteralPath $path -Name 'Environment' -PropertyType MultiString -Value $wanted -Force
    }
    else {
        Remove-ItemProperty -LiteralPath $path -Name 'Environment'
    }
    $true
}

function Set-ServiceProxy {
    param([string] $Name, [bool] $Stop = $true)
    Set-ServiceEnvironment -Name $Name -Variable $ProxyVariables -Value @(Get-MachineProxy) -Stop $Stop
}
