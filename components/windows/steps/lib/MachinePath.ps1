# The machine's PATH, and this process's copy of it, which may be outdated: sshd gives sessions the PATH of its own
# start.

$MachineVariablesKey = 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\Environment'

# Read from the registry, because [Environment] would expand variables such as %SystemRoot%.
function Get-MachinePath {
    (Get-Item -LiteralPath $MachineVariablesKey).GetValue('Path', '', 'DoNotExpandEnvironmentNames')
}

function Set-MachinePath {
    param([string] $Path)
    $kind = (Get-Item -LiteralPath $MachineVariablesKey).GetValueKind('Path')
    Set-ItemProperty -LiteralPath $MachineVariablesKey -Name 'Path' -Value $Path -Type $kind
    # Removing a missing variable broadcasts to all windows that the machine's variables have changed.
    [Environment]::SetEnvironmentVariable('KINDOWS_PATH', $null, 'Machine')
}

function Update-ProcessPath {
    $env:Path = [Environment]::GetEnvironmentVariable('Path', 'Machine')
}

function Add-MachinePath {
    param([string] $Folder)
    $current = Get-MachinePath
    $missing = ($current -split ';' | ForEach-Object { $_.TrimEnd('\') }) -notcontains $Folder.TrimEnd('\')
    if ($missing) { Set-MachinePath -Path ($current.TrimEnd(';') + ';' + $Folder) }
    Update-ProcessPath
    $missing
}

function Remove-MachinePath {
    param([string] $Folder)
    $current = @((Get-MachinePath) -split ';')
    $others = @($current | Where-Object { $_.TrimEnd('\') -ne $Folder.TrimEnd('\') })
    if ($others.Count -lt $current.Count) {
        Set-MachinePath -Path ($others -join ';')
        "$Folder on the PATH"
    }
}
