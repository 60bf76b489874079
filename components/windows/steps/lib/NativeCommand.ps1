# Runs a program with a time limit and checks its exit code.

. (Join-Path $PSScriptRoot 'NativeArgument.ps1')

# Returns the program's standard output. An unexpected exit code ends the step. PowerShell's call operator is not used,
# because Windows PowerShell 5.1 turns a program's standard error into its own errors, passes quotes incorrectly, and
# has no time limit. The arguments are unquoted and must not contain secrets, because other processes can read them. If
# the program prints a text in $Hidden, errors do not repeat it.
function Invoke-NativeCommand {
    param(
        [string] $FilePath, [string[]] $ArgumentList = @(), [int] $TimeoutSeconds,
        [int[]] $SuccessExitCodes = @(0), [string] $FailureCode = 'CommandFailed',
        [string] $TimeoutCode = 'CommandTimedOut', [string[]] $Hidden = @(), [string] $StandardInput = '',
        [string] $Remedy
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
        # The program must not inherit the step's standard input, which may contain secrets.
        $process.StandardInput.Write($StandardInput)
        $process.StandardInput.Close()
        $output = $process.StandardOutput.ReadToEndAsync()
        $errors = $process.StandardError.ReadToEndAsync()
        $ended = $process.WaitForExit($TimeoutSeconds * 1000)
        if (-not $ended) { $process.Kill() }
        # Limited, because a child that outlives the program may keep the pipes open.
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
