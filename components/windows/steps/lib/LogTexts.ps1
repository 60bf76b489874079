# What Windows says of itself, as the collectors of CAPZ, aks-engine and SIG-Windows ask it.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'LogFiles.ps1')
. (Join-Path $PSScriptRoot 'WholeFile.ps1')

# Reports and dumps of programs, and of Windows itself.
$CrashFiles = @(
    'C:\ProgramData\Microsoft\Windows\WER\ReportArchive\*'
    'C:\ProgramData\Microsoft\Windows\WER\ReportQueue\*'
    'C:\Windows\Minidump\*'
    'C:\Windows\MEMORY.DMP'
    'C:\Windows\LiveKernelReports\*'
)

# A text as it is; of a table or an object each property, whole.
function ConvertTo-LogText {
    param([object] $Answer)
    if ($null -eq $Answer -or $Answer -is [string]) {
        return $Answer
    }
    if ($Answer -is [System.Collections.IDictionary]) {
        foreach ($name in @($Answer.Keys | Sort-Object)) {
            "$($name): $($Answer[$name])"
        }
        return
    }
    # What CIM adds to each object says nothing of the machine.
    foreach ($property in $Answer.PSObject.Properties | Where-Object { $_.Name -notmatch '^(Cim|PSComputerName)' }) {
        "$($property.Name): $(@($property.Value) -join ', ')"
    }
    ''
}

# Where the question $Body fails, the reason is written.
function Save-LogText {
    param([string] $Path, [scriptblock] $Body)
    try {
        $answer = @(& $Body)
        $text = @($answer | ForEach-Object { ConvertTo-LogText -Answer $_ }) -join "`r`n"
    }
    catch {
        $text = "could not be had: $($_.Exception.Message)"
    }
    Write-WholeText -Path $Path -Text (Hide-Secret -Text $text)
}

# What one of Windows' own programs writes.
function Get-SystemAnswer {
    param([string] $Program, [string[]] $ArgumentList = @())
    Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\$Program" -ArgumentList $ArgumentList -TimeoutSeconds 20 `
        -SuccessExitCodes 0, 1 -Remedy 'Look at it on the machine.'
}

# $Kind is images, containers or tasks.
function Get-ContainerdAnswer {
    param([string] $Kind)
    Invoke-NativeCommand -FilePath "$env:ProgramFiles\containerd\ctr.exe" -TimeoutSeconds 20 `
        -ArgumentList '--namespace', 'k8s.io', $Kind, 'list' -Remedy 'Look whether containerd runs.'
}

function Save-NodeText {
    param([string] $Folder)
    # By file name; each is the body of one Save-LogText.
    $classes = [ordered]@{
        'os.txt'        = 'Win32_OperatingSystem'
        'updates.txt'   = 'Win32_QuickFixEngineering'
        'services.txt'  = 'Win32_Service'
        'processes.txt' = 'Win32_Process'
        'pagefile.txt'  = 'Win32_PageFileUsage'
        'disks.txt'     = 'Win32_LogicalDisk'
        'adapters.txt'  = 'Win32_NetworkAdapterConfiguration'
    }
    foreach ($name in $classes.Keys) {
        Save-LogText -Path (Join-Path $Folder $name) -Body {
            Get-CimInstance -ClassName $classes[$name] | Select-Object -Property *
        }
    }
    $programs = [ordered]@{
        'clock.txt'           = @('w32tm.exe', '/query', '/status')
        'ipconfig.txt'        = @('ipconfig.exe', '/allcompartments', '/all')
        'routes.txt'          = @('route.exe', 'print')
        'connections.txt'     = @('netstat.exe', '-a', '-n', '-o')
        'compute-systems.txt' = @('hcsdiag.exe', 'list')
        'hnsdiag.txt'         = @('hnsdiag.exe', 'list', 'all')
        'switch-ports.txt'    = @('vfpctrl.exe', '/list-vmswitch-port')
    }
    foreach ($name in $programs.Keys) {
        Save-LogText -Path (Join-Path $Folder $name) -Body {
            $words = $programs[$name]
            Get-SystemAnswer -Program $words[0] -ArgumentList @($words | Select-Object -Skip 1)
        }
    }
    foreach ($kind in 'images', 'containers', 'tasks') {
        Save-LogText -Path (Join-Path $Folder "$kind.txt") -Body { Get-ContainerdAnswer -Kind $kind }
    }
    Save-LogText -Path (Join-Path $Folder 'hns-networks.json') -Body {
        Get-HnsNetwork -ErrorAction Stop | ConvertTo-Json -Depth 10
    }
    Save-LogText -Path (Join-Path $Folder 'hns-endpoints.json') -Body {
        Get-HnsEndpoint -ErrorAction Stop | ConvertTo-Json -Depth 10
    }
    Save-LogText -Path (Join-Path $Folder 'hns-policies.json') -Body {
        Get-HnsPolicyList -ErrorAction Stop | ConvertTo-Json -Depth 10
    }
    Save-LogText -Path (Join-Path $Folder 'firewall.txt') -Body {
        Get-NetFirewallRule -Name 'kubelet' -ErrorAction Stop
    }
    Save-LogText -Path (Join-Path $Folder 'defender.txt') -Body { Get-MpPreference -ErrorAction Stop }
    Save-LogText -Path (Join-Path $Folder 'environment.txt') -Body { [Environment]::GetEnvironmentVariables('Machine') }

    # Their names and times only: a dump is as large as a program's memory, and holds its secrets.
    Save-LogText -Path (Join-Path $Folder 'crashes.txt') -Body {
        foreach ($pattern in $CrashFiles | Where-Object { Test-Path -Path $_ }) {
            Get-ChildItem -Path $pattern | Select-Object -Property 'LastWriteTime', 'FullName'
        }
    }

    # Reboots, who ordered them, and crashes; services that end; containers and their networks.
    $logs = [ordered]@{
        'events-reboots.txt'  = @{ LogName = 'System'; Id = @(1074, 1076, 2004, 6005, 6006, 6008) }
        'events-services.txt' = @{ LogName = 'System'; ProviderName = 'Service Control Manager' }
        'events-errors.txt'   = @{ LogName = 'Application'; Level = @(1, 2) }
        'events-compute.txt'  = @{ LogName = 'Microsoft-Windows-Hyper-V-Compute-Admin' }
        'events-hns.txt'      = @{ LogName = 'Microsoft-Windows-Host-Network-Service-Admin' }
    }
    foreach ($name in $logs.Keys) {
        Save-LogText -Path (Join-Path $Folder $name) -Body {
            $query = $logs[$name]
            $events = @(Get-WinEvent -FilterHashtable $query -MaxEvents 200)
            $events | Select-Object -Property 'TimeCreated', 'Id', 'Message'
        }
    }
}
