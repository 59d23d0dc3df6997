# The names of Ruby's library: ruby --disable-gems ruby.rb > ../src/data/ruby/library.txt
#
# The constants of Object, the methods of the classes and modules that are there without a `require`, private ones of Kernel and
# Module among them. Made with Ruby 3.1.
names = Object.constants
Object.constants.each do |constant|
  one = Object.const_get(constant)
  next unless one.is_a?(Module)
  names += one.instance_methods(false) + one.private_instance_methods(false) + one.singleton_methods(false)
  names += one.constants(false)
end
names += Kernel.private_instance_methods + Module.private_instance_methods + BasicObject.private_instance_methods
names << :new << :initialize
words = names.map { |name| name.to_s.sub(/[?!=]\z/, '') }
puts words.grep(/\A[A-Za-z_]\w*\z/).uniq.sort
