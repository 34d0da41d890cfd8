// The lowest legal action, always.
#include "kingmaker.h"

int main() {
    return kingmaker::main("lowest", [](const kingmaker::Observation& o) { return o.legal().front(); });
}
