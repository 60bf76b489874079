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

# Tokens, keys and passwords.
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
            Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\$($words[0])" -TimeoutSeconds 20 `
                -ArgumentList @($words | Select-Object -Skip 1) -SuccessExitCodes 0, 1 `
                -Remedy 'Look at it on the machine.'
        }
    }
    foreach ($kind in 'images', 'containers', 'tasks') {
        Save-LogText -Path (Join-Path $Folder "$kind.txt") -Body {
            Invoke-NativeCommand -FilePath "$env:ProgramFiles\containerd\ctr.exe" -TimeoutSeconds 20 `
                -ArgumentList '--namespace', 'k8s.io', $kind, 'list' -Remedy 'Look whether containerd runs.'
        }
    }
    $questions = [ordered]@{
        'hns-networks.json'  = { Get-HnsNetwork -ErrorAction Stop | ConvertTo-Json -Depth 10 }
        'hns-endpoints.json' = { Get-HnsEndpoint -ErrorAction Stop | ConvertTo-Json -Depth 10 }
        'hns-policies.json'  = { Get-HnsPolicyList -ErrorAction Stop | ConvertTo-Json -Depth 10 }
        'firewall.txt'       = { Get-NetFirewallRule -Name 'kubelet' -ErrorAction Stop }
        'defender.txt'       = { Get-MpPreference -ErrorAction Stop }
        'environment.txt'    = { [Environment]::GetEnvironmentVariables('Machine') }
        # Their names and times only: a dump is as large as a program's memory, and holds its secrets.
        'crashes.txt'        = {
            foreach ($pattern in $CrashFiles | Where-Object { Test-Path -Path $_ }) {
                Get-ChildItem -Path $pattern | Select-Object -Property 'LastWriteTime', 'FullName'
            }
        }
    }
    foreach ($name in $questions.Keys) {
        Save-LogText -Path (Join-Path $Folder $name) -Body $questions[$name]
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
