# The loop of a real PowerShell that runs scripts for a modelled machine (real-machine.ts).
param([int] $Port, [string] $Source)
$ErrorActionPreference = 'Stop'

$types = Add-Type -TypeDefinition (Get-Content -LiteralPath $Source -Raw) -PassThru `
    -IgnoreWarnings -WarningAction SilentlyContinue
$assembly = $types[0].Assembly
$module = $null
$model = $assembly.GetType('Rehearsed.Model')
$accelerators = [psobject].Assembly.GetType('System.Management.Automation.TypeAccelerators')
$shadows = $assembly.GetType('Rehearsed.Generated')::Shadows
# PowerShell's own names come first.
$builtin = $accelerators.GetField('builtinTypeAccelerators', 'NonPublic, Static').GetValue($null)
foreach ($name in $shadows.Keys) {
    $null = $builtin.Remove($name)
    $accelerators::Add($name, $shadows[$name])
    $accelerators::Add("System.$name", $shadows[$name])
}
Remove-PSDrive -Name HKLM
$null = New-Item -Path HKCU:\kindows -Force
$null = New-PSDrive -Name HKLM -PSProvider Registry -Root 'HKEY_CURRENT_USER\kindows' -Scope Global
function global:Out-Host {
    param([Parameter(ValueFromPipeline = $true)] $InputObject)
    process { $model::Tell('emit', $InputObject) }
}
$model::Connect($Port)

# Statement coverage: a breakpoint that only counts, at the first place of each statement that PowerShell stops at.
$watched = @{}
function Get-FirstStop {
    param($Statement)
    $language = 'System.Management.Automation.Language'
    switch ($Statement.GetType().FullName) {
        "$language.IfStatementAst" { return $Statement.Clauses[0].Item1.Extent }
        "$language.TryStatementAst" {
            if ($Statement.Body.Statements.Count -eq 0) { return }
            return Get-FirstStop -Statement $Statement.Body.Statements[0]
        }
        "$language.ForEachStatementAst" { return $Statement.Condition.Extent }
        "$language.WhileStatementAst" { return $Statement.Condition.Extent }
        "$language.SwitchStatementAst" { return $Statement.Condition.Extent }
        "$language.DoWhileStatementAst" { return Get-FirstStop -Statement $Statement.Body.Statements[0] }
        "$language.DoUntilStatementAst" { return Get-FirstStop -Statement $Statement.Body.Statements[0] }
        "$language.ForStatementAst" { return $Statement.Initializer.Extent }
        default { return $Statement.Extent }
    }
}
function Watch-Script {
    param([string] $Path)
    $tokens = $null
    $problems = $null
    $tree = [System.Management.Automation.Language.Parser]::ParseFile($Path, [ref]$tokens, [ref]$problems)
    $blocks = $tree.FindAll({ param($node) $null -ne $node.PSObject.Properties['Statements'] }, $true)
    $statements = foreach ($block in $blocks) {
        $block.Statements | Where-Object { $_ -isnot [System.Management.Automation.Language.FunctionDefinitionAst] }
    }
    $watched[$Path] = @(foreach ($statement in $statements) {
            $stop = Get-FirstStop -Statement $statement
            if ($null -eq $stop) { continue }
            $point = Set-PSBreakpoint -Script $Path -Line $stop.StartLineNumber -Column $stop.StartColumnNumber -Action { }
            @{ Line = $statement.Extent.StartLineNumber; Column = $statement.Extent.StartColumnNumber; Point = $point }
        })
    $model::Tell('statements', @($Path) + @($watched[$Path] | ForEach-Object { "$($_.Line):$($_.Column)" }))
}
function Send-Coverage {
    foreach ($path in @($watched.Keys)) {
        $run = @($watched[$path] | Where-Object { $_.Point.HitCount -gt 0 })
        if ($run.Count -eq 0) { continue }
        $model::Tell('covered', @($path) + @($run | ForEach-Object { "$($_.Line):$($_.Column)" }))
        $run | ForEach-Object { Remove-PSBreakpoint -Breakpoint $_.Point }
        $watched[$path] = @($watched[$path] | Where-Object { $_.Point.HitCount -eq 0 })
    }
}
$own = @{}
Get-ChildItem -Path Env: | ForEach-Object { $own[$_.Name] = $_.Value }
$cmdlets = ''

while ($true) {
    $run = $model::Next()
    Get-ChildItem -Path Env: | Where-Object { -not $run.Environment.Contains($_.Name) } | Remove-Item
    foreach ($name in $run.Environment.Keys) { Set-Item -LiteralPath "Env:$name" -Value $run.Environment[$name] }
    $PSVersionTable['PSVersion'] = [Version]$run.Version
    if ($cmdlets -ne ($run.Cmdlets -join ' ')) {
        if ($null -ne $module) { Remove-Module -ModuleInfo $module }
        $module = Import-Module -Assembly $assembly -PassThru -Cmdlet $run.Cmdlets
        $cmdlets = $run.Cmdlets -join ' '
    }
    Set-Location -LiteralPath C:\
    $global:LASTEXITCODE = 0
    $code = 0
    foreach ($path in $run.Watch) { if (-not $watched.ContainsKey($path)) { Watch-Script -Path $path } }
    $ErrorActionPreference = 'Continue'
    try {
        & ([scriptblock]::Create($run.Text)) 2>&1 | ForEach-Object {
            if ($_ -is [System.Management.Automation.ErrorRecord]) { $model::Tell('error', "$_`n") }
            else { $model::Tell('emit', $_) }
        }
        $code = $global:LASTEXITCODE
    }
    catch {
        $model::Tell('error', "$($_.Exception.Message)`n")
        $code = 1
    }
    $ErrorActionPreference = 'Stop'
    Send-Coverage
    $model::Ended($code)
    Get-ChildItem -Path Env: | Remove-Item
    foreach ($name in $own.Keys) { Set-Item -LiteralPath "Env:$name" -Value $own[$name] }
}
