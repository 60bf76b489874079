# Running a program to its end, in bounded time, with its exit code looked at.

# As Windows programs take their command line apart (CommandLineToArgvW).
function ConvertTo-NativeArgument {
    param([string] $Argument)
    if ($Argument -match '^[^\s"]+$') { return $Argument }
    # Backslashes count only before a quote, and before the closing one: there each is doubled.
    $escaped = $Argument -replace '(\\*)"', '$1$1\"' -replace '(\\+)$', '$1$1'
    '"' + $escaped + '"'
}

# Returns what the program wrote to standard output; any other exit code than expected ends the step. PowerShell's own
# call operator is not used: Windows PowerShell 5.1 turns a program's standard error into errors of its own, passes
# quotes on wrongly, and knows no time limit. The arguments are unquoted, and hold no secrets: other processes can read
# them. $Hidden must not be repeated in an error, should the program write it.
function Invoke-NativeCommand {
    param(
        [string] $FilePath, [string[]] $ArgumentList = @(), [int] $TimeoutSeconds,
        [int[]] $SuccessExitCodes = @(0), [string] $FailureCode = 'CommandFailed',
        [string] $TimeoutCode = 'CommandTimedOut', [string[]] $Hidden = @(), [string] $Remedy
    )
    $name = Split-Path -Path $FilePath -Leaf
    $start = New-Object -TypeName System.Diagnostics.ProcessStartInfo
    $start.FileName = $FilePath
    $start.Arguments = ($ArgumentList | ForEach-Object { ConvertTo-NativeArgument -Argument $_ }) -join ' '
    $start.UseShellExecute = $false
    $start.RedirectStandardInput = $true
    $start.RedirectStandardOutput = $true
    $start.RedirectStandardError = $true
    $start.WorkingDirectory = $env:SystemDrive + '\'
    Write-StepProgress -Message "running $name $($start.Arguments)"

    $process = [Diagnostics.Process]::Start($start)
    try {
        # The step's own standard input carries secrets; a program it runs must not inherit it.
        $process.StandardInput.Close()
        $output = $process.StandardOutput.ReadToEndAsync()
        $errors = $process.StandardError.ReadToEndAsync()
        $ended = $process.WaitForExit($TimeoutSeconds * 1000)
        if (-not $ended) { $process.Kill() }
        # A child that outlives the program may hold the pipes open: what has not come by now is not waited for.
        $complete = [Threading.Tasks.Task]::WaitAll([Threading.Tasks.Task[]]@($output, $errors), 10000)
        $outputText = if ($output.IsCompleted) { $output.Result } else { '' }
        $errorText = if ($errors.IsCompleted) { $errors.Result } else { '' }
        $tail = (@($outputText, $errorText) -join "`n").Trim()
        foreach ($secret in $Hidden) { $tail = $tail.Replace($secret, '***') }
        if ($tail.Length -gt 2000) { $tail = '...' + $tail.Substring($tail.Length - 2000) }
        if (-not $ended) {
            Stop-Step -Code $TimeoutCode -Remedy $Remedy `
                -Message "$name did not end within $TimeoutSeconds s and was stopped. It wrote: $tail"
        }
        if ($SuccessExitCodes -notcontains $process.ExitCode) {
            Stop-Step -Code $FailureCode -Remedy $Remedy `
                -Message "$name ended with exit code $($process.ExitCode). It wrote: $tail"
        }
        if (-not $complete) {
            Write-StepProgress -Message "$name ended, but something it started still holds its output open."
        }
        $outputText
    }
    finally { $process.Dispose() }
}
