# The machine's PATH, and this process's copy of it: sshd gives its sessions the PATH it was started with.

$MachineVariablesKey = 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\Environment'

# As Windows keeps it: with variables such as %SystemRoot%, which [Environment] would replace.
function Get-MachinePath {
    (Get-Item -LiteralPath $MachineVariablesKey).GetValue('Path', '', 'DoNotExpandEnvironmentNames')
}

function Set-MachinePath {
    param([string] $Path)
    $kind = (Get-Item -LiteralPath $MachineVariablesKey).GetValueKind('Path')
    Set-ItemProperty -LiteralPath $MachineVariablesKey -Name 'Path' -Value $Path -Type $kind
    # Removing a variable that is not there tells all windows that the machine's variables are others now.
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
