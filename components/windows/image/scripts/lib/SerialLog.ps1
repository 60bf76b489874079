# Progress on the serial port: the only thing the host sees while no SSH server runs yet.

# In plain ASCII and without secrets; a machine without a serial port goes on without.
function Write-SerialLine {
    param([string] $Message)
    $port = New-Object -TypeName System.IO.Ports.SerialPort -ArgumentList 'COM1', 115200
    try {
        # Nobody may read at the other end.
        $port.WriteTimeout = 2000
        $port.Open()
        $port.WriteLine("kindows: $Message")
    }
    catch [System.IO.IOException], [System.UnauthorizedAccessException], [System.TimeoutException] {
        Write-StepProgress -Message "COM1 took no line: $($_.Exception.Message)"
    }
    finally {
        $port.Dispose()
    }
    Write-StepProgress -Message $Message
}

function Write-SerialFailure {
    param([Exception] $Exception)
    $words = "$($Exception.Message) $($Exception.Data['StepRemedy'])" -replace '\s+', ' '
    Write-SerialLine -Message "failed: $($words.Trim())"
}
