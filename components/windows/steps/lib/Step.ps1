# Runs a step: one at a time per machine, as administrator, ending with one line of JSON and an exit code.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
# Over SSH, progress bars cause errors.
$ProgressPreference = 'SilentlyContinue'

# The exit code of each kind of error, the same in every step. Each step's help lists the codes it can end with.
# 1 is PowerShell's own, when it rejects a parameter before the step begins. 75 is EX_TEMPFAIL of sysexits.h: try again.
$StepExitCodes = @{
    Unexpected           = 10
    StepBusy             = 11
    NotAdministrator     = 12
    SecretMissing        = 13
    CommandFailed        = 14
    CommandTimedOut      = 15
    DiskFull             = 16
    HostUnsuitable       = 20
    FeatureFailed        = 21
    ForeignHostsEntry    = 22
    HostsFileBusy        = 23
    RebootPending        = 24
    ForeignRoute         = 25
    NextHopOffSegment    = 26
    ForeignDnsRule       = 27
    MediumMissing        = 30
    ChecksumMismatch     = 31
    VersionMismatch      = 32
    ConfigurationUnknown = 33
    ServiceNotRunning    = 34
    FileInUse            = 35
    NotReplaced          = 36
    FeatureMissing       = 40
    ContainerdMissing    = 41
    FlannelMissing       = 42
    ScriptFailed         = 43
    ApiServerUnreachable = 50
    JoinFailed           = 51
    JoinTimedOut         = 52
    KubeletArgsRefused   = 53
    KubernetesMissing    = 54
    ResetFailed          = 55
    NodeIpMissing        = 56
    NetworkNotReady      = 60
    RebootNotDone        = 75
}

$JoinConfigurationPath = 'C:\kindows\state\join-configuration.json'
$JoinRecordPath = 'C:\kindows\state\join.json'
$BootstrapConfigPath = 'C:\etc\kubernetes\bootstrap-kubelet.conf'

# Writes to standard error, because standard output is for the result.
function Write-StepProgress {
    param([string] $Message)
    [Console]::Error.WriteLine($Message)
}

# $Code is a key of $StepExitCodes. The texts must not contain secrets.
function Stop-Step {
    param([string] $Code, [string] $Message, [string] $Remedy)
    $exception = New-Object -TypeName System.InvalidOperationException -ArgumentList $Message
    $exception.Data['StepCode'] = $Code
    $exception.Data['StepRemedy'] = $Remedy
    throw $exception
}

function New-StepResult {
    param([bool] $Changed, [System.Collections.IDictionary] $Facts, [bool] $RebootRequired = $false)
    [pscustomobject]@{
        PSTypeName     = 'Kindows.StepResult'
        Changed        = $Changed
        Facts          = $Facts
        RebootRequired = $RebootRequired
    }
}

# In ASCII, because the console's code page would change other characters.
function Write-JsonLine {
    param([System.Collections.IDictionary] $Value)
    $json = ConvertTo-Json -InputObject $Value -Depth 6 -Compress
    $escape = { param($match) '\u' + ([int][char]$match.Value).ToString('x4') }
    [Console]::Out.WriteLine([regex]::Replace($json, '[^\x20-\x7e]', $escape))
}

# A step continues after its connection breaks, so the next one must wait for it.
function Enter-StepLock {
    param([int] $TimeoutSeconds)
    $clock = [Diagnostics.Stopwatch]::StartNew()
    $mutex = $null
    while ($null -eq $mutex) {
        try {
            $mutex = New-Object -TypeName System.Threading.Mutex -ArgumentList $false, 'Global\kindows-step'
        }
        catch [System.UnauthorizedAccessException] {
            # At a first boot the mutex may be SYSTEM's, which this account can't open. It disappears when that step
            # ends.
            if ($clock.Elapsed.TotalSeconds -gt $TimeoutSeconds) { throw }
            Start-Sleep -Seconds 2
        }
    }
    try {
        $entered = $mutex.WaitOne([TimeSpan]::FromSeconds($TimeoutSeconds))
    }
    catch [System.Threading.AbandonedMutexException] {
        # The earlier step was killed, so this one has the lock. Every step can continue from a partial state.
        $entered = $true
    }
    if (-not $entered) {
        $mutex.Dispose()
        Stop-Step -Code 'StepBusy' `
            -Message "Another step has been running on this machine for more than $TimeoutSeconds s." `
            -Remedy 'Wait for it to end (a powershell.exe with C:\kindows\steps in its command line), then run again.'
    }
    $mutex
}

# Removes files with a join token that an interrupted run has left: the configuration of kubeadm, and the kubeconfig
# with which kubelet requests its certificate, which kubeadm removes at the end of a join unless it is killed. A
# kubeconfig without a record of a join is not kindows' own and stays. Called with the lock, so no running step needs
# these files.
function Remove-SecretRemains {
    $paths = @($JoinConfigurationPath)
    if (Test-Path -LiteralPath $JoinRecordPath) { $paths += $BootstrapConfigPath }
    foreach ($path in $paths) {
        if (Test-Path -LiteralPath $path) { Remove-Item -LiteralPath $path -Force }
    }
}

function Assert-Administrator {
    $principal = [Security.Principal.WindowsPrincipal][Security.Principal.WindowsIdentity]::GetCurrent()
    if (-not $principal.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) {
        Stop-Step -Code 'NotAdministrator' `
            -Message "The account $env:USERNAME has no administrator rights in this session." `
            -Remedy 'Set windows.adminUser to a member of Administrators; UAC must not filter its token (EnableLUA=0).'
    }
}

# Windows writes its cache after some seconds. Changes that a power cut loses before would stay lost, because a step
# that has reported success does not run again. A failure is only reported, because it only matters after a power cut.
function Write-DriveCache {
    try {
        Write-VolumeCache -DriveLetter C -ErrorAction Stop
    }
    catch { Write-StepProgress -Message "drive C: could not be flushed: $($_.Exception.Message)" }
}

function Test-DiskFull {
    param([Exception] $Exception)
    # ERROR_HANDLE_DISK_FULL and ERROR_DISK_FULL, as HRESULTs.
    @(-2147024857, -2147024784) -contains $Exception.GetBaseException().HResult
}

# Ends the process. The last line of standard output is one JSON object: {"step", "changed", "rebootRequired",
# "seconds", "facts"} or {"step", "error": {"code", "message", "remedy"}}. $Body returns one New-StepResult. A step
# that changes nothing can run without the lock ($Alone), so that it does not wait for a step that hangs.
function Invoke-Step {
    param([string] $Name, [scriptblock] $Body, [bool] $Alone = $true)
    $clock = [Diagnostics.Stopwatch]::StartNew()
    $lock = $null
    $exitCode = 0
    try {
        if ($Alone) { $lock = Enter-StepLock -TimeoutSeconds 240 }
        Assert-Administrator
        if ($Alone) { Remove-SecretRemains }
        $result = & $Body |
            Where-Object { $_ -is [pscustomobject] -and $_.PSObject.TypeNames[0] -eq 'Kindows.StepResult' } |
            Select-Object -Last 1
        if ($result.Changed) { Write-DriveCache }
        Write-JsonLine -Value ([ordered]@{
                step           = $Name
                changed        = $result.Changed
                rebootRequired = $result.RebootRequired
                seconds        = [math]::Round($clock.Elapsed.TotalSeconds, 1)
                facts          = $result.Facts
            })
    }
    catch {
        $cause = $_.Exception
        $code = 'Unexpected'
        $message = $cause.Message
        # The first line of the stack trace has the location. InvocationInfo would have the failed function's caller.
        $location = ($_.ScriptStackTrace -split "`r?`n")[0] -replace '^at [^,]*, (.*): line ([0-9]+)$', '$1:$2'
        $remedy = "Run again; if it stays, look at the machine (the step failed at $location)."
        if ($cause.Data.Contains('StepCode')) {
            $code = $cause.Data['StepCode']
            $remedy = $cause.Data['StepRemedy']
        }
        elseif (Test-DiskFull -Exception $cause) {
            $code = 'DiskFull'
            $remedy = 'Free space on the drive that is full, C: as a rule, then run again: the step goes on from there.'
        }
        # An unlisted kind of error must not end with 0.
        $exitCode = if ($StepExitCodes.ContainsKey($code)) { $StepExitCodes[$code] } else { $StepExitCodes.Unexpected }
        Write-StepProgress -Message "$Name on $env:COMPUTERNAME failed ($code): $message $remedy"
        Write-JsonLine -Value ([ordered]@{
                step  = $Name
                error = [ordered]@{ code = $code; message = $message; remedy = $remedy }
            })
    }
    finally {
        if ($null -ne $lock) {
            $lock.ReleaseMutex()
            $lock.Dispose()
        }
    }
    exit $exitCode
}
