#include <string>

#define TRACE(level, text) ((void)sizeof(text))
#define BIND(type, name, value) type name = (value)

std::string label_of(int weight)
{
    TRACE(VERBOSE, "label");
    BIND(std::string, text_of_weight, std::to_string(weight));
    return text_of_weight.empty() ? text_of_weight : text_of_weight.substr(0, 3);
}
