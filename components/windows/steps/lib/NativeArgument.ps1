# Arguments of programs.

# Quotes an argument as Windows programs parse their command line (CommandLineToArgvW).
function ConvertTo-NativeArgument {
    param([string] $Argument)
    if ($Argument -match '^[^\s"]+$') { return $Argument }
    # Backslashes are only special before a quote, including the closing one, and are doubled there.
    $escaped = $Argument -replace '(\\*)"', '$1$1\"' -replace '(\\+)$', '$1$1'
    '"' + $escaped + '"'
}
