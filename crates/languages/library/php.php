<?php
// The names of PHP's library:
//
//   php -n php.php > ../src/data/php/library.txt           as the language has them without extensions of its own
//   php php.php standard > ../src/data/php/standard.txt    with those that are installed: curl, dom, intl, mbstring, …
//
// Functions, constants and classes with their methods and properties. Made with PHP 8.2.
$isWhole = ($argv[1] ?? '') === 'standard';
$names = [];
$add = function (string $name) use (&$names) {
    if (preg_match('/^[A-Za-z_]\w*$/', $name)) $names[$name] = true;
};
array_map($add, get_defined_functions()['internal']);
foreach ($isWhole ? get_loaded_extensions() : ['Core', 'standard', 'pcre', 'date', 'SPL', 'json', 'hash', 'ctype'] as $extension) {
    array_map($add, array_keys(get_defined_constants(true)[$extension] ?? []));
}
foreach (array_merge(get_declared_classes(), get_declared_interfaces()) as $class) {
    $reflected = new ReflectionClass($class);
    if (!$isWhole && !in_array($reflected->getExtensionName(), ['Core', 'standard', 'date', 'SPL', 'json'])) continue;
    if (!$reflected->isInternal()) continue;
    array_map($add, explode('\\', $class));
    foreach ($reflected->getMethods() as $method) $add($method->getName());
    if ($isWhole) array_map($add, array_keys($reflected->getConstants()));
    foreach ($reflected->getProperties() as $property) $add($property->getName());
}
foreach (['__construct', '__destruct', '__call', '__callStatic', '__get', '__set', '__isset', '__unset', '__sleep', '__wakeup',
          '__serialize', '__unserialize', '__toString', '__invoke', '__set_state', '__clone', '__debugInfo'] as $method) $add($method);
if ($isWhole) {
    foreach (['this', 'self', 'parent', 'static', '__CLASS__', '__DIR__', '__FILE__', '__FUNCTION__', '__LINE__', '__METHOD__', '__NAMESPACE__',
              '__TRAIT__', 'GLOBALS', '_COOKIE', '_ENV', '_FILES', '_GET', '_POST', '_REQUEST', '_SERVER', '_SESSION', 'argc', 'argv', 'bool',
              'float', 'int', 'iterable', 'mixed', 'never', 'null', 'object', 'string', 'void', 'true', 'false', 'resource'] as $word) $add($word);
}
$sorted = array_keys($names);
sort($sorted, SORT_STRING);
echo implode("\n", $sorted), "\n";
