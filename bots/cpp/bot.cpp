// Any legal action; the seed comes with the decision, so that the same match plays the same again.
#include "kingmaker.h"

int main() {
    return kingmaker::main("random", [](const kingmaker::Observation& o) {
        return o.legal()[o.seed() % o.legal().size()];
    });
}
