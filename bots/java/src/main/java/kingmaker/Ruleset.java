package kingmaker;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import referee.v1.Match.RulesetInfo;
import referee.v1.Match.RulesetOption;

/**
 * The words behind a ruleset's numbers.
 *
 * @param version rises when the same actions could give another result
 * @param options by name, defaults included; the values are JSON: 0, true, null, "auto"
 * @param actions the texts of the actions by their numbers
 * @param contracts their names
 * @param numbers the actions by their texts
 */
public record Ruleset(
        String id,
        int version,
        int players,
        Map<String, String> options,
        List<String> actions,
        List<String> contracts,
        Map<String, Integer> numbers) {

    static Ruleset of(RulesetInfo info) {
        var options = new TreeMap<String, String>();
        for (RulesetOption option : info.getOptionsList()) {
            options.put(option.getName(), option.getValue());
        }
        var numbers = new HashMap<String, Integer>();
        for (String text : info.getActionsList()) {
            if (!text.isEmpty()) {
                numbers.put(text, info.getActionsList().indexOf(text));
            }
        }
        return new Ruleset(
                info.getId(), info.getVersion(), info.getPlayers(), options,
                info.getActionsList(), info.getContractsList(), numbers);
    }
}
