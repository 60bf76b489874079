# Collects what is needed to debug a node: the ends of its log files, and information about Windows. The queries are
# those of the collectors of CAPZ, aks-engine and SIG-Windows.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

# Only what is known to hold no credentials: logs, and settings by their whole names. Calico keeps its kubeconfig beside
# the settings of the pod network, and containerd's settings may have the login of a registry.
$NodeLogFiles = @(
    'C:\var\log\kubelet\*.log'
    'C:\var\log\containerd\*.log'
    'C:\var\log\calico\*.log'
    'C:\var\log\calico\*\*.log'
    'C:\var\log\flanneld\*.log'
    'C:\var\log\hybrid-overlay\*.log'
    'C:\var\log\pods\*calico*\*\*.log'
    'C:\var\log\pods\*kube-proxy*\*\*.log'
    'C:\etc\kube-flannel\net-conf.json'
    'C:\run\flannel\subnet.env'
    'C:\var\lib\kubelet\config.yaml'
    'C:\var\lib\kubelet\kubeadm-flags.env'
    'C:\Windows\System32\drivers\etc\hosts'
    'C:\kindows\state\automatic-update.json'
    'C:\kindows\state\external-network.json'
    'C:\kindows\state\join.json'
    'C:\kindows\state\reboot.json'
    'C:\kindows\state\routes.json'
)

$SecretList = ConvertFrom-Json -InputObject ([IO.File]::ReadAllText((Join-Path $PSScriptRoot 'SecretPatterns.json')))
$SecretPatterns = @(
    foreach ($each in $SecretList.patterns) {
        "($($each.keep))$($each.hide)".Replace('<name>', $SecretList.name).Replace('<sign>', $SecretList.sign)
    }
)

# components/redact.ts does the same with the same list.
function Hide-Secret {
    param([string] $Text)
    foreach ($pattern in $SecretPatterns) { $Text = $Text -replace $pattern, '$1[redacted]' }
    $Text
}

# Opens the file so that others can still write to it or delete it.
function Copy-LogTail {
    param([string] $Source, [string] $Target, [int] $TailKiB)
    $stream = New-Object -TypeName System.IO.FileStream -ArgumentList $Source, 'Open', 'Read', 'ReadWrite, Delete'
    try {
        $length = [math]::Min($stream.Length, [long]$TailKiB * 1024)
        $null = $stream.Seek(-$length, [IO.SeekOrigin]::End)
        $reader = New-Object -TypeName System.IO.StreamReader -ArgumentList $stream
        Write-WholeText -Path $Target -Text (Hide-Secret -Text $reader.ReadToEnd())
    }
    finally {
        $stream.Dispose()
    }
}

# If a file can't be read, the reason is saved instead.
function Copy-NodeLog {
    param([string] $Folder, [int] $TailKiB)
    $files = @(
        foreach ($pattern in $NodeLogFiles) {
            if (Test-Path -Path $pattern) {
                Get-ChildItem -Path $pattern -File
            }
        }
    )
    foreach ($file in @($files | Sort-Object -Property LastWriteTimeUtc -Descending | Select-Object -First 200)) {
        $target = Join-Path $Folder ($file.FullName.Substring(3) -replace '[\\/:]', '_')
        try {
            Copy-LogTail -Source $file.FullName -Target $target -TailKiB $TailKiB
        }
        catch {
            Write-WholeText -Path "$target.error.txt" -Text $_.Exception.Message
        }
    }
}

$CrashFiles = @(
    'C:\ProgramData\Microsoft\Windows\WER\ReportArchive\*'
    'C:\ProgramData\Microsoft\Windows\WER\ReportQueue\*'
    'C:\Windows\Minidump\*'
    'C:\Windows\MEMORY.DMP'
    'C:\Windows\LiveKernelReports\*'
)

# Returns text unchanged, and the properties of an object or a dictionary in full.
function ConvertTo-LogText {
    param([object] $Answer)
    if ($null -eq $Answer -or $Answer -is [string]) { return $Answer }
    if ($Answer -is [System.Collections.IDictionary]) {
        foreach ($name in @($Answer.Keys | Sort-Object)) { "$($name): $($Answer[$name])" }
        return
    }
    # Without the properties that CIM adds to every object.
    foreach ($property in $Answer.PSObject.Properties | Where-Object { $_.Name -notmatch '^(Cim|PSComputerName)' }) {
        "$($property.Name): $(@($property.Value) -join ', ')"
    }
    ''
}

# Saves the result of $Body, or the reason if it fails.
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

function Get-AllProperty {
    param([string] $ClassName)
    Get-CimInstance -ClassName $ClassName | Select-Object -Property *
}

function Get-ProgramText {
    param([string] $Program, [string[]] $ArgumentList)
    Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\$Program" -ArgumentList $ArgumentList `
        -TimeoutSeconds 20 -SuccessExitCodes 0, 1 -Remedy 'Look at it on the machine.'
}

function Get-ContainerdText {
    param([string] $Kind)
    Invoke-NativeCommand -FilePath "$env:ProgramFiles\containerd\ctr.exe" -TimeoutSeconds 20 `
        -ArgumentList '--namespace', 'k8s.io', $Kind, 'list' -Remedy 'Look whether containerd runs.'
}

function Get-EventText {
    param([hashtable] $Query)
    $events = @(Get-WinEvent -FilterHashtable $Query -MaxEvents 200)
    $events | Select-Object -Property 'TimeCreated', 'Id', 'Message'
}

# Queries by file name.
$NodeQueries = [ordered]@{
    'os.txt'              = { Get-AllProperty -ClassName 'Win32_OperatingSystem' }
    'updates.txt'         = { Get-AllProperty -ClassName 'Win32_QuickFixEngineering' }
    'services.txt'        = { Get-AllProperty -ClassName 'Win32_Service' }
    'processes.txt'       = { Get-AllProperty -ClassName 'Win32_Process' }
    'pagefile.txt'        = { Get-AllProperty -ClassName 'Win32_PageFileUsage' }
    'disks.txt'           = { Get-AllProperty -ClassName 'Win32_LogicalDisk' }
    'adapters.txt'        = { Get-AllProperty -ClassName 'Win32_NetworkAdapterConfiguration' }
    'clock.txt'           = { Get-ProgramText -Program 'w32tm.exe' -ArgumentList '/query', '/status' }
    'ipconfig.txt'        = { Get-ProgramText -Program 'ipconfig.exe' -ArgumentList '/allcompartments', '/all' }
    'routes.txt'          = { Get-ProgramText -Program 'route.exe' -ArgumentList 'print' }
    'connections.txt'     = { Get-ProgramText -Program 'netstat.exe' -ArgumentList '-a', '-n', '-o' }
    'compute-systems.txt' = { Get-ProgramText -Program 'hcsdiag.exe' -ArgumentList 'list' }
    'hnsdiag.txt'         = { Get-ProgramText -Program 'hnsdiag.exe' -ArgumentList 'list', 'all' }
    'switch-ports.txt'    = { Get-ProgramText -Program 'vfpctrl.exe' -ArgumentList '/list-vmswitch-port' }
    'images.txt'          = { Get-ContainerdText -Kind 'images' }
    'containers.txt'      = { Get-ContainerdText -Kind 'containers' }
    'tasks.txt'           = { Get-ContainerdText -Kind 'tasks' }
    'hns-networks.json'   = { Get-HnsNetwork -ErrorAction Stop | ConvertTo-Json -Depth 10 }
    'hns-endpoints.json'  = { Get-HnsEndpoint -ErrorAction Stop | ConvertTo-Json -Depth 10 }
    'hns-policies.json'   = { Get-HnsPolicyList -ErrorAction Stop | ConvertTo-Json -Depth 10 }
    'firewall.txt'        = { Get-NetFirewallRule -Name 'kubelet' -ErrorAction Stop }
    'defender.txt'        = { Get-MpPreference -ErrorAction Stop }
    'environment.txt'     = { [Environment]::GetEnvironmentVariables('Machine') }
    # Only names and times, because a dump is as large as a program's memory and contains its secrets.
    'crashes.txt'         = {
        foreach ($pattern in $CrashFiles | Where-Object { Test-Path -Path $_ }) {
            Get-ChildItem -Path $pattern | Select-Object -Property 'LastWriteTime', 'FullName'
        }
    }
    'events-reboots.txt'  = { Get-EventText -Query @{ LogName = 'System'; Id = @(1074, 1076, 2004, 6005, 6006, 6008) } }
    'events-services.txt' = { Get-EventText -Query @{ LogName = 'System'; ProviderName = 'Service Control Manager' } }
    'events-errors.txt'   = { Get-EventText -Query @{ LogName = 'Application'; Level = @(1, 2) } }
    'events-compute.txt'  = { Get-EventText -Query @{ LogName = 'Microsoft-Windows-Hyper-V-Compute-Admin' } }
    'events-hns.txt'      = { Get-EventText -Query @{ LogName = 'Microsoft-Windows-Host-Network-Service-Admin' } }
}

function Save-NodeText {
    param([string] $Folder)
    foreach ($name in $NodeQueries.Keys) {
        Save-LogText -Path (Join-Path $Folder $name) -Body $NodeQueries[$name]
    }
}
