# What is needed to see why a node does not work: the ends of its log files, and what Windows says of itself, as the
# collectors of CAPZ, aks-engine and SIG-Windows ask it.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

# Must not leave the machine, so not among them: keys, and kubeadm's and kubelet's kubeconfig files.
$NodeLogFiles = @(
    'C:\var\log\kubelet\*'
    'C:\var\log\containerd\*'
    'C:\var\log\calico\*'
    'C:\var\log\calico\*\*'
    'C:\var\log\flanneld\*'
    'C:\var\log\hybrid-overlay\*'
    'C:\var\log\pods\*calico*\*\*'
    'C:\var\log\pods\*kube-proxy*\*\*'
    'C:\Program Files\containerd\config.toml'
    'C:\etc\cni\net.d\*'
    'C:\etc\kube-flannel\*'
    'C:\run\flannel\*'
    'C:\var\lib\kubelet\config.yaml'
    'C:\var\lib\kubelet\kubeadm-flags.env'
    'C:\Windows\System32\drivers\etc\hosts'
    'C:\kindows\state\*.json'
)

function Hide-Secret {
    param([string] $Text)
    $key = '-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)'
    $hidden = $Text -replace $key, '[redacted]'
    $hidden = $hidden -replace '\b[a-z0-9]{6}\.[a-z0-9]{16}\b', '[redacted]'
    # Behind a name, all that its quotes hold; then in quotes within quotes, in single ones, and without any.
    $name = '(?i)((?:client-key-data|bearer|password|authorization)'
    $sign = '\\*["'']?\s*[:=]\s*'
    $hidden = $hidden -replace "$name$sign`")(?:\\.|[^`"\\])*", '$1[redacted]'
    $hidden = $hidden -replace "$name$sign\\+`")(?:\\(?!\\*`")|[^`"\\])*", '$1[redacted]'
    $hidden = $hidden -replace "$name$sign')[^']*", '$1[redacted]'
    $scheme = '(?:(?:bearer|basic|negotiate|digest|ntlm)\s+)?'
    $hidden = $hidden -replace "$name[`"'\\]*(?:\s*[:=]+\s*|\s+))$scheme(?!'|\\*`"|[:=])[^\s`",]+", '$1[redacted]'
    # The user and password of a proxy's address.
    $hidden -replace '://[^/@\s]+@', '://[redacted]@'
}

# Somebody may be writing to the file.
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

# A file that can't be read leaves the reason in its place.
function Copy-NodeLog {
    param([string] $Folder, [int] $TailKiB)
    $files = @(
        foreach ($pattern in $NodeLogFiles) {
            if (Test-Path -Path $pattern) {
                Get-ChildItem -Path $pattern -File | Where-Object { $_.Name -notlike 'join-configuration*' }
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

# A text as it is; of a table or an object each property, whole.
function ConvertTo-LogText {
    param([object] $Answer)
    if ($null -eq $Answer -or $Answer -is [string]) { return $Answer }
    if ($Answer -is [System.Collections.IDictionary]) {
        foreach ($name in @($Answer.Keys | Sort-Object)) { "$($name): $($Answer[$name])" }
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

# By file name.
$NodeQuestions = [ordered]@{
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
    # Their names and times only: a dump is as large as a program's memory, and holds its secrets.
    'crashes.txt'         = {
        foreach ($pattern in $CrashFiles | Where-Object { Test-Path -Path $_ }) {
            Get-ChildItem -Path $pattern | Select-Object -Property 'LastWriteTime', 'FullName'
        }
    }
    # Reboots, who ordered them, and crashes; services that end; containers and their networks.
    'events-reboots.txt'  = { Get-EventText -Query @{ LogName = 'System'; Id = @(1074, 1076, 2004, 6005, 6006, 6008) } }
    'events-services.txt' = { Get-EventText -Query @{ LogName = 'System'; ProviderName = 'Service Control Manager' } }
    'events-errors.txt'   = { Get-EventText -Query @{ LogName = 'Application'; Level = @(1, 2) } }
    'events-compute.txt'  = { Get-EventText -Query @{ LogName = 'Microsoft-Windows-Hyper-V-Compute-Admin' } }
    'events-hns.txt'      = { Get-EventText -Query @{ LogName = 'Microsoft-Windows-Host-Network-Service-Admin' } }
}

function Save-NodeText {
    param([string] $Folder)
    foreach ($name in $NodeQuestions.Keys) {
        Save-LogText -Path (Join-Path $Folder $name) -Body $NodeQuestions[$name]
    }
}
