# What a step gets on standard input, because others can read command lines, and because these are short.

# Reads one JSON object. Returns nothing for an empty input. Errors never repeat the input.
function Read-StandardInput {
    param([string] $Remedy)
    # A stream of its own, because only that allows a wait with a time limit.
    $reader = New-Object -TypeName System.IO.StreamReader -ArgumentList ([Console]::OpenStandardInput())
    $reading = $reader.ReadToEndAsync()
    if (-not $reading.Wait(30000)) {
        Stop-Step -Code 'SecretMissing' -Message 'Standard input did not end within 30 s.' -Remedy $Remedy
    }
    $text = $reading.Result.Trim()
    try {
        if ($text -ne '') { ConvertFrom-Json -InputObject $text }
    }
    catch {
        Stop-Step -Code 'SecretMissing' -Remedy $Remedy `
            -Message "Standard input is not JSON ($($text.Length) characters)."
    }
}
