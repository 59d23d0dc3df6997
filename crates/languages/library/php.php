<?php
// The names of PHP's library: php -n php.php > ../src/data/php/library.txt
//
// Its functions, constants and classes with their methods and properties, as the language has them without extensions of its
// own. Made with PHP 8.2.
$names = [];
$add = function (string $name) use (&$names) {
    if (preg_match('/^[A-Za-z_]\w*$/', $name)) $names[$name] = true;
};
array_map($add, get_defined_functions()['internal']);
foreach (['Core', 'standard', 'pcre', 'date', 'SPL', 'json', 'hash', 'ctype'] as $extension) {
    array_map($add, array_keys(get_defined_constants(true)[$extension] ?? []));
}
foreach (array_merge(get_declared_classes(), get_declared_interfaces()) as $class) {
    $reflected = new ReflectionClass($class);
    if (!in_array($reflected->getExtensionName(), ['Core', 'standard', 'date', 'SPL', 'json'])) continue;
    $add($class);
    foreach ($reflected->getMethods() as $method) $add($method->getName());
    foreach ($reflected->getProperties() as $property) $add($property->getName());
}
foreach (['__construct', '__destruct', '__call', '__callStatic', '__get', '__set', '__isset', '__unset', '__sleep', '__wakeup',
          '__serialize', '__unserialize', '__toString', '__invoke', '__set_state', '__clone', '__debugInfo'] as $method) $add($method);
$sorted = array_keys($names);
sort($sorted, SORT_STRING);
echo implode("\n", $sorted), "\n";
