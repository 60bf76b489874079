# Progress on the serial port, which is all that the host sees until the SSH server runs.

# $Message must be ASCII and contain no secrets. Without a serial port the line is only written to standard error.
function Write-SerialLine {
    param([string] $Message)
    $port = New-Object -TypeName System.IO.Ports.SerialPort -ArgumentList 'COM1', 115200
    try {
        # The other end may not be reading.
        $port.WriteTimeout = 2000
        $port.Open()
        $port.WriteLine("kindows: $Message")
    }
    catch [System.IO.IOException], [System.UnauthorizedAccessException], [System.TimeoutException] {
        Write-StepProgress -Message "writing to COM1 failed: $($_.Exception.Message)"
    }
    finally {
        $port.Dispose()
    }
    Write-StepProgress -Message $Message
}

function Write-SerialFailure {
    param([Exception] $Exception)
    $failure = "$($Exception.Message) $($Exception.Data['StepRemedy'])" -replace '\s+', ' '
    Write-SerialLine -Message "failed: $($failure.Trim())"
}
